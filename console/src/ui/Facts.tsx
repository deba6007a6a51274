import type { ComponentChildren } from "preact";

export interface Fact {
  label: string;
  value: ComponentChildren;
}

/** A list of names and values in two columns. */
export function Facts({ facts }: { facts: Fact[] }) {
  return <dl class="facts">{facts.map((fact) => <div key={fact.label}><dt>{fact.label}</dt><dd>{fact.value}</dd></div>)}</dl>;
}
