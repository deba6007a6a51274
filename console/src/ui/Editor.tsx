// An editor, of YAML unless another language is given, with line numbers, colours and marks at lines with problems. It is loaded
// when it is first needed.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";

export interface Problem {
  /** From 0. */
  line: number;
  message: string;
}

interface EditorProps {
  label: string;
  text: string;
  problems: Problem[];
  onChange: (text: string) => void;
  /** The language, its indentation, and whether it can be changed at all. */
  language?: Extension;
}

const yamlLanguage: Extension = [yaml(), indentUnit.of("  ")];

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.content], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--wait)" },
  { tag: tags.comment, color: "var(--quiet)" },
]);

const look = EditorView.theme({
  "&": { height: "max(280px, calc(100vh - 340px))", background: "var(--sunken)", color: "var(--text)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.45" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { background: "var(--sunken)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { background: "light-dark(#00000008, #ffffff08)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--match)" },
  ".cm-tooltip": { background: "var(--surface)", color: "var(--text)", border: "1px solid var(--line)", maxWidth: "min(640px, 90vw)" },
});

export default function Editor({ label, text, problems, onChange, language = yamlLanguage }: EditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
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
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]), EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.sliceDoc())),
        ],
      }),
    });
    view.current = made;
    made.focus();
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const made = view.current;
    if (!made) return;
    const diagnostics = problems.map((problem) => {
      const line = made.state.doc.line(Math.min(made.state.doc.lines, problem.line + 1));
      return { from: line.from, to: line.to, severity: "error" as const, message: problem.message };
    });
    made.dispatch(setDiagnostics(made.state, diagnostics));
  }, [problems]);
  return <div class="editor" ref={box} />;
}
