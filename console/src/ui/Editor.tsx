// An editor, of YAML unless another language is given, with line numbers, colours and marks at lines with problems. It is loaded
// when it is first needed.
import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, type ViewUpdate } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";

export interface Problem {
  /** From 1. */
  line: number;
  /** From 1; the whole line is marked without it. */
  column?: number;
  message: string;
}

export interface EditorProps {
  label: string;
  text: string;
  problems?: Problem[];
  onChange: (text: string) => void;
  /** The language, its indentation, and whether it can be changed at all. */
  language?: Extension;
  /** A text to compare with: what differs from it is shown. */
  original?: string | undefined;
  focus?: boolean;
}

export const yamlLanguage: Extension = [yaml(), indentUnit.of("  ")];

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.content], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--wait)" },
  { tag: tags.comment, color: "var(--quiet)" },
]);

const look = EditorView.theme({
  "&": { height: "var(--editor-height, max(280px, calc(100vh - 340px)))", background: "var(--sunken)", color: "var(--text)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.45" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { background: "var(--sunken)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { background: "light-dark(#00000008, #ffffff08)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--match)" },
  ".cm-tooltip": { background: "var(--surface)", color: "var(--text)", border: "1px solid var(--line)", maxWidth: "min(640px, 90vw)" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12.5px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--hover)", color: "var(--text)" },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal" },
  ".cm-tooltip.cm-completionInfo": { padding: "6px 10px", fontSize: "12px" },
  ".cm-field-help": { padding: "6px 10px", fontSize: "12px" },
  ".cm-field-help p": { margin: "4px 0 0" },
  ".cm-collapsedLines": { background: "var(--surface)", color: "var(--quiet)" },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
  ".cm-changedLine, .cm-insertedLine": { background: "color-mix(in srgb, var(--good) 14%, transparent) !important" },
  ".cm-changedText": { background: "color-mix(in srgb, var(--good) 28%, transparent) !important" },
  ".cm-deletedChunk": { background: "color-mix(in srgb, var(--bad) 12%, transparent) !important" },
  ".cm-deletedText": { background: "color-mix(in srgb, var(--bad) 28%, transparent) !important" },
});

const noProblems: Problem[] = [];
const fromOutside = Annotation.define<boolean>();

const comparedWith = (original: string | undefined): Extension =>
  original === undefined ? [] : unifiedMergeView({ original, mergeControls: false, highlightChanges: true, collapseUnchanged: { margin: 3, minSize: 6 } });

/** Where two texts differ, so that a change from outside moves nothing else. */
function difference(before: string, after: string): { from: number; to: number; insert: string } {
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) from += 1;
  let tail = 0;
  while (tail < before.length - from && tail < after.length - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}

export default function Editor({ label, text, problems = noProblems, onChange, language = yamlLanguage, original, focus = true }: EditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const comparison = useRef(new Compartment());
  const changed = useRef(onChange);
  changed.current = onChange;
  // Texts that were handed out and have not come back yet: whoever types is ahead of what is rendered, and must not be set back to it.
  const handedOut = useRef<string[]>([]);
  const onUpdate = (update: ViewUpdate) => {
    if (!update.docChanged || update.transactions.some((one) => one.annotation(fromOutside))) return;
    const next = update.state.sliceDoc();
    handedOut.current.push(next);
    changed.current(next);
  };
  useEffect(() => {
    if (!box.current) return undefined;
    // In a shadow tree the editor brings its styles as style sheet objects; the page's policy forbids <style> elements.
    const root = box.current.shadowRoot ?? box.current.attachShadow({ mode: "open" });
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), history(), drawSelection(), highlightActiveLine(), lintGutter(), language, syntaxHighlighting(colours), look,
          EditorState.phrases.of({ "$ unchanged lines": t("editor.unchanged"), Completions: t("editor.completions") }),
          comparison.current.of(comparedWith(original)),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]), EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorView.updateListener.of(onUpdate),
        ],
      }),
    });
    view.current = made;
    if (focus) made.focus();
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const made = view.current;
    const own = handedOut.current.lastIndexOf(text);
    handedOut.current.splice(0, own < 0 ? Infinity : own + 1);
    if (!made || own >= 0 || made.state.sliceDoc() === text) return;
    // The line that a field of the form became is in sight and highlighted.
    const change = difference(made.state.doc.toString(), made.state.toText(text).toString());
    made.dispatch({ changes: change, selection: { anchor: change.from + change.insert.length }, scrollIntoView: true, annotations: fromOutside.of(true) });
  }, [text]);
  useEffect(() => {
    view.current?.dispatch({ effects: comparison.current.reconfigure(comparedWith(original)) });
  }, [original]);
  useEffect(() => {
    const made = view.current;
    if (!made) return;
    const diagnostics = problems.map((problem) => {
      const line = made.state.doc.line(Math.max(1, Math.min(made.state.doc.lines, problem.line)));
      const from = Math.min(line.to, line.from + Math.max(0, (problem.column ?? 1) - 1));
      return { from, to: line.to, severity: "error" as const, message: problem.message };
    });
    made.dispatch(setDiagnostics(made.state, diagnostics));
  }, [problems]);
  return <div class="editor" ref={box} />;
}
