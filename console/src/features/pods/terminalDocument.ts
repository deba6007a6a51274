// xterm.js puts its styles into <style> elements and style attributes, and the page's policy forbids both. It gets a document that
// turns them into style sheet objects and properties, which the policy allows because no text of a page can make them.

interface TerminalDocument {
  document: Document;
  /** Takes the styles away again. */
  dispose(): void;
}

export function makeTerminalDocument(): TerminalDocument {
  const sheets: CSSStyleSheet[] = [];
  const styleElement = () => {
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const standIn = document.createElement("span");
    Object.defineProperty(standIn, "textContent", { set: (css: string) => sheet.replaceSync(css) });
    return standIn;
  };
  const createElement = (name: string) => {
    if (name === "style") return styleElement();
    const element = document.createElement(name);
    const setAttribute = element.setAttribute.bind(element);
    element.setAttribute = (attribute, value) => (attribute === "style" ? void (element.style.cssText = value) : setAttribute(attribute, value));
    return element;
  };
  const made = new Proxy(document, {
    get: (target, name) => {
      if (name === "createElement") return createElement;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    document: made,
    dispose: () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
    },
  };
}
