// Elements from values. Text goes in as text and nothing else: what others wrote never becomes markup.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "onclick") node.addEventListener("click", value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false).map(asNode));
  return node;
}

function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

// Change the text only if it differs, so that a selection in it stays.
export function say(node, text) {
  const wanted = String(text ?? "");
  if (node.textContent !== wanted) node.textContent = wanted;
}

export function show(node, isShown) {
  node.hidden = !isShown;
}

export function empty(node, title, hint = "") {
  const wanted = title + hint;
  if (node.dataset.said === wanted) return;
  node.dataset.said = wanted;
  node.replaceChildren(...(title ? [el("strong", {}, title)] : []), ...(hint ? [el("span", {}, hint)] : []));
  node.hidden = !title;
}

export function toggle(button, onChange) {
  button.addEventListener("click", () => {
    const isOn = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isOn));
    onChange(isOn);
  });
}

// Keep one element per key, in order; `make` builds one, `update` tells it what is new. Focus stays where it is.
export function keyed(parent, items, keyOf, make, update) {
  const known = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let node = known.get(key);
    known.delete(key);
    if (!node) {
      node = make(item);
      node.dataset.key = key;
    }
    update(node, item);
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
  }
  for (const node of known.values()) node.remove();
}
