// Problem and cure for every end of an operation and result code (docs/reference/phone-core.md, protocol.md).

import { CODES } from "./named.js";
import { has, say } from "./texts.js";

const NEVER_AGAIN = new Set(["linkLost", "noAnswer", "nonsense", "stopped", "notTaken"]);

// `once`: digits of a box that may have performed the order and is not asked again.
export function failure([word, digits, detail], once = null) {
  if (once && NEVER_AGAIN.has(word)) return say("unknown", once);
  const close = ["unreachable", "notTheBox", "grantRefused"].includes(word) ? `f.${word}.${detail}` : `f.${word}`;
  return say(has(close) ? close : has(`f.${word}`) ? `f.${word}` : "f.other", digits ?? word, detail ?? "");
}

// Takes `["done"]`, `["refused", code, attempts left?, seconds?]`, or how a login ended here.
export function outcome([word, number, left, seconds], digits) {
  if (word !== "refused") return say(has(`o.${word}`) ? `o.${word}` : "o.done", digits);
  if (number === CODES.pinWrong) return say(left === 1 ? "r.6.last" : "r.6", String(left));
  return say(has(`r.${number}`) ? `r.${number}` : "r.other", digits, String(seconds ?? number));
}

// Explains why no box was chosen.
export async function notChosen(error) {
  if (/^(Security|NotAllowed)Error|denied|disabled/.test(error.name + error.message)) return say("c.refused");
  if (!await navigator.bluetooth.getAvailability().catch(() => true)) return say("c.off");
  return say("c.cancelled");
}
