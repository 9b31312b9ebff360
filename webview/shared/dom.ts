type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string;

const applyAttributes = (target: Element, attributes: Attributes): void => {
  for (const [name, value] of Object.entries(attributes)) setAttribute(target, name, value);
};

/**
 * Sets an attribute if its value changes. `true` sets an empty value; `false` and `undefined`
 * remove the attribute.
 */
export function setAttribute(
  target: Element,
  name: string,
  value: string | number | boolean | undefined,
): void {
  if (value === undefined || value === false) return target.removeAttribute(name);
  const text = value === true ? '' : String(value);
  if (target.getAttribute(name) !== text) target.setAttribute(name, text);
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  applyAttributes(created, attributes);
  created.append(...children);
  return created;
}

export function svg(
  tag: string,
  attributes: Attributes,
  ...children: readonly Child[]
): SVGElement {
  const created = document.createElementNS('http://www.w3.org/2000/svg', tag);
  applyAttributes(created, attributes);
  created.append(...children);
  return created;
}

/**
 * Sets the text if it differs. Setting the same text again would clear the user's text selection
 * and could make screen readers announce the text again.
 */
export function setText(target: Node, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * Makes `children` the only child elements of `parent`, in this order. Does not move elements that
 * are already in place, because a moved element loses its focus and hover state.
 */
export function setChildren(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children);
  for (const present of [...parent.children]) if (!wanted.has(present)) present.remove();
  children.forEach((child, index) => {
    const present = parent.children[index];
    if (present !== child) parent.insertBefore(child, present ?? null);
  });
}
