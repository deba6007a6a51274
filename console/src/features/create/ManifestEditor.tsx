import Editor, { yamlLanguage, type EditorProps } from "../../ui/Editor";
import { fieldAssistance } from "./assist";

const language = [yamlLanguage, fieldAssistance];

/** The editor with suggestions for manifests. */
export default function ManifestEditor(props: Omit<EditorProps, "language">) {
  return <Editor {...props} language={language} />;
}
