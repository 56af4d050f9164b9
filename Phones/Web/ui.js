// Small pieces of a screen. Children are nodes or lists of nodes; nothing here takes markup.

import { plain, say } from "./texts.js";

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") node.addEventListener("click", value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.flat(2));
  return node;
}

export const paragraph = (key, ...parts) => make("p", {}, say(key, ...parts));

// A second tap does nothing while the action runs.
export function button(kind, act, key, ...parts) {
  let isBusy = false;
  const once = async event => {
    if (isBusy) return;
    isBusy = true;
    try { await act(event); } finally { isBusy = false; }
  };
  return make("button", { class: kind, type: "button", on: once }, say(key, ...parts));
}

const main = () => document.querySelector("main");

// Shows a screen. Focuses the heading, for screen readers; on a redraw, the same button again.
export function screen(heading, ...nodes) {
  const title = make("h1", { tabindex: "-1" }, heading), held = document.activeElement.textContent,
    isSame = main().firstChild?.textContent === title.textContent;
  main().replaceChildren(title, ...nodes.flat(2).filter(Boolean));
  (isSame && [...main().querySelectorAll("button")].find(each => each.textContent === held) || title).focus();
  announce("");
}

export function announce(...nodes) {
  document.getElementById("live").replaceChildren(...nodes.flat(2));
}

let fields = 0;

export function field(key, attributes = {}, tag = "input") {
  const id = "field" + ++fields, input = make(tag, { id, autocomplete: "off", spellcheck: "false", autocapitalize: "none", ...attributes });
  return { input, node: make("div", { class: "field" }, make("label", { for: id }, say(key)), input) };
}

// A PIN field with its own keypad or a keyboard. `take` returns the PIN once.
export function pinPad(key, submit) {
  const { input, node } = field(key, { type: "password", inputmode: "none", maxlength: 64, autocomplete: "one-time-code", class: "pin" });
  // A keyboard user stays on the key.
  const press = digit => make("button", { type: "button", on: event => { input.value += digit; if (event.detail) input.focus(); } }, digit);
  const keys = make("div", { class: "keys", role: "group", "aria-label": plain("pin.keys") },
    ..."123456789".split("").map(press),
    make("button", { type: "button", class: "word", on: () => { input.inputMode = "text"; input.focus(); } }, say("pin.letters")),
    press("0"),
    make("button", { type: "button", "aria-label": plain("pin.back"), on: () => { input.value = input.value.slice(0, -1); } }, "⌫"));
  input.addEventListener("keydown", event => { if (event.key === "Enter") submit(); });
  return { node, keys, input, take: () => secret(input, true) };
}

const PIN = { least: 4, most: 32, bytes: 128 };

// Empties the field and returns its bytes, or null outside the bounds (PINs: docs/reference/protocol.md, section 13).
export function secret(input, isPIN) {
  const value = isPIN ? input.value.normalize("NFC") : input.value;
  input.value = "";
  const bytes = new TextEncoder().encode(value), count = Array.from(value).length;
  const fits = isPIN ? count >= PIN.least && count <= PIN.most && bytes.length <= PIN.bytes && !/[\p{Cc}\p{Cn}\p{Cs}]/u.test(value)
    : bytes.length > 0 && bytes.length < 512 && !bytes.includes(0);
  if (fits) return bytes;
  bytes.fill(0);
  return null;
}
