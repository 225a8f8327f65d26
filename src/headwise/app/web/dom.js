// Elements, made from values: text is always text.

/**
 * An element with attributes and children. A function is a listener for the event that `on…` names; `false` and
 * `null` leave an attribute or child out; strings and numbers are text; lists of children may be nested.
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...present(children));
  return made;
}

/** An element of SVG. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...present(children));
  return made;
}

/** Put *children* at the end of *parent*. */
export function add(parent, ...children) {
  parent.append(...present(children));
}

/** Replace what *parent* holds. */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/** *html*, which the server has sanitised, as nodes. The page's policy forbids scripts and styles in it as well. */
export function nodes(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}
