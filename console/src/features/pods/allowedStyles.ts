// xterm.js puts its styles into <style> elements and style attributes, and the page's policy forbids both. While a terminal is shown,
// elements that the page makes turn them into style sheet objects and properties, which the policy allows: no text can make those.

const original = (name: string, options?: ElementCreationOptions): HTMLElement => Document.prototype.createElement.call(document, name, options);

/** Returns a function that takes the styles away, and leaves the page as it was. */
export function allowStyles(): () => void {
  const sheets: CSSStyleSheet[] = [];
  const styleElement = () => {
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const standIn = original("span");
    Object.defineProperty(standIn, "textContent", { set: (css: string) => sheet.replaceSync(css) });
    return standIn;
  };
  const createElement = (name: string, options?: ElementCreationOptions) => {
    if (name === "style") return styleElement();
    const element = original(name, options);
    element.setAttribute = (attribute, value) => (attribute === "style" ? void (element.style.cssText = value) : Element.prototype.setAttribute.call(element, attribute, value));
    return element;
  };
  Object.defineProperty(document, "createElement", { value: createElement, configurable: true });
  return () => {
    Reflect.deleteProperty(document, "createElement");
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}
