// Sentences in the user's language, from the catalogues in po/. A box's text stands in <bdi>, as text only.

export const LANGUAGES = { en: "English", de: "Deutsch", ru: "Русский" };
const KEPT = "boxphone-language";
let words = {};

export const language = () => [localStorage.getItem(KEPT), ...navigator.languages.map(each => each.slice(0, 2))]
  .find(each => each in LANGUAGES) ?? "en";

export async function load() {
  const chosen = language();
  words = await (await fetch(`texts-${chosen}.json`)).json();
  document.documentElement.lang = chosen;
}

export async function choose(chosen) {
  localStorage.setItem(KEPT, chosen);
  await load();
}

// Shows invisible and direction-changing characters as numbers.
export const visible = text => String(text).replace(/[\p{C}\p{Zl}\p{Zp}\u{34f}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu,
  found => `\\u{${found.codePointAt(0).toString(16)}}`);

export const text = bytes => visible(new TextDecoder().decode(bytes));

export const has = key => key in words;

export const moment = seconds => new Date(seconds * 1000).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

// A sentence without a box's text, for attributes.
export const plain = key => words[key] ?? key;

// The sentence as nodes; `{0}` is the first of `parts`.
export function say(key, ...parts) {
  return plain(key).split(/\{(\d)\}/).map((piece, index) => {
    if (index % 2 === 0) return document.createTextNode(piece);
    const isolated = document.createElement("bdi");
    isolated.textContent = visible(parts[Number(piece)] ?? "");
    return isolated;
  });
}
