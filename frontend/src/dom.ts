// Elements are made by these alone: names become text, never markup.

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;
type Child = Node | string | null | undefined;

const SVG = "http://www.w3.org/2000/svg";

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  fill(element, attributes, children);
  return element;
}

export const at = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;

export function put(id: string, ...children: Child[]): void {
  at(id).replaceChildren(...children.filter((child): child is Node | string => child !== null && child !== undefined));
}

export function options(entries: [string, string, boolean?][], chosen: string): HTMLOptionElement[] {
  return entries.map(([value, text, disabled]) => h("option", { value, disabled, selected: value === chosen }, text));
}

export const button = (text: string, click: () => void, attributes: Attributes = {}) =>
  h("button", { type: "button", click, ...attributes }, text);

export function copy(text: string, pressed: HTMLButtonElement): void {
  const done = () => {
    const before = pressed.textContent;
    pressed.textContent = "Copied";
    announce("Copied");
    setTimeout(() => (pressed.textContent = before), 1500);
  };
  const byHand = () => {
    const area = h("textarea", { class: "sr-only", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    pressed.focus();
    done();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand);
  else byHand();
}

export function download(name: string, kind: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export function announce(text: string): void {
  at("announcer").textContent = text;
}
