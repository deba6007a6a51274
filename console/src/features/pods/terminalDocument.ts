// xterm.js puts its styles into <style> elements and style attributes, and the page's policy forbids both. It gets a document that
// turns them into style sheet objects and properties, which the policy allows because no text of a page can make them.

interface TerminalDocument {
  document: Document;
  /** Runs the terminal's open(), a part of which asks the page's own document for a <style> element. */
  around(open: () => void): void;
  /** Takes the styles away again. */
  dispose(): void;
}

export function makeTerminalDocument(): TerminalDocument {
  const sheets: CSSStyleSheet[] = [];
  const original = (name: string): HTMLElement => Document.prototype.createElement.call(document, name);
  const styleElement = () => {
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const standIn = original("span");
    Object.defineProperty(standIn, "textContent", { set: (css: string) => sheet.replaceSync(css) });
    return standIn;
  };
  const makeElement = (name: string) => {
    if (name === "style") return styleElement();
    const element = original(name);
    const setAttribute = element.setAttribute.bind(element);
    element.setAttribute = (attribute, value) => (attribute === "style" ? void (element.style.cssText = value) : setAttribute(attribute, value));
    return element;
  };
  const made = new Proxy(document, {
    get: (target, name) => {
      if (name === "createElement") return makeElement;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    document: made,
    around: (open) => {
      Object.defineProperty(document, "createElement", { value: makeElement, configurable: true });
      try {
        open();
      } finally {
        Reflect.deleteProperty(document, "createElement");
      }
    },
    dispose: () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
    },
  };
}
