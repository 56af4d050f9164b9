// A site: one enrolment for all its boxes. A page stores no password, so the user types it at each login.

import { box, CODES } from "./named.js";
import { failure, outcome } from "./sentences.js";
import { facts, visited } from "./site-store.js";
import { moment, say, text } from "./texts.js";
import { announce, button, field, make, paragraph, screen, secret } from "./ui.js";
import { compare, message, notFound, rowDigits, waiting } from "./phone.js";
import { session } from "./session.js";

export const SITE_CODE = /^\s*boxsite-enrol:1\/[A-Z2-7]+\s*$/;

const until = kept => moment(facts(kept).until);

// A row, not stored, for a site's box.
export const boxOf = (kept, digits) => Object.assign(box([kept.id, new TextEncoder().encode(digits), null, null, 0, facts(kept).user, null, "phoneHeld", true, true, false]),
  { isOfSite: true });

// `enrolled`: digits of boxes with their own row.
export const siteCard = (phone, kept, enrolled) => make("section", { class: "card" },
  make("p", { class: "soft" }, say("site.card", facts(kept).name, text(facts(kept).user), until(kept))),
  kept.entry ? make("p", { class: "bad" }, say("f.siteStopped")) : [],
  button("main", () => logInAtSite(phone, kept), "site.login"),
  visited(kept).filter(digits => !enrolled.includes(digits)).map(digits => [make("p", {}, say("site.box", digits)),
    button("", () => logInAtSite(phone, kept, digits), "login.button", digits),
    button("", () => session(phone, boxOf(kept, digits)), "session.button")]).flat());

export const siteSettings = (phone, kept, back) => make("section", { class: "card" },
  make("h2", {}, say("site.of", facts(kept).name, text(facts(kept).user))),
  button("risk", () => forget(phone, kept, back), "site.forget"));

function forget(phone, kept, back) {
  screen(say("site.forget.title", facts(kept).name), paragraph("site.forget.text"),
    button("risk", async () => { await phone.store.forget(kept.id); phone.home(); }, "site.forget"),
    make("nav", {}, button("", back, "back")));
}

// Enrols through any box of the site, which cannot read the messages.
export async function join(phone, code, label, again) {
  const why = await phone.choose("", { anyName: true });
  if (why) return message(phone, why.title, "bad", why.nodes, button("main", again, "again"));
  navigator.storage?.persist?.();
  waiting(phone, say("site.wait"));
  const end = await phone.run(["join", code, label], { show: compare(phone) });
  code.fill(0);
  if (end.kind !== "joined") return message(phone, say("enrol.failed"), "bad", failure(end.value), button("main", again, "enrol.again"));
  const kept = await phone.store.kept(end.value);
  if (!facts(kept).isSiteHeld) return logInAtSite(phone, kept, "", say("site.joined", facts(kept).name, until(kept)));
  await phone.store.forget(kept.id);
  message(phone, say("enrol.failed"), "bad", say("f.siteHeld"));
}

export async function logInAtSite(phone, kept, digits = "", note = []) {
  // An enrolled box has priority over a site.
  const enrolled = new Set((await phone.store.rows()).map(rowDigits));
  const number = field("site.number", { inputmode: "numeric", maxlength: 6 }), password = field("store.password", { type: "password" });
  number.input.value = digits;
  const submit = async () => {
    const shown = number.input.value.trim();
    if (!/^\d{6}$/.test(shown)) return announce(say("site.noNumber"));
    const row = boxOf(kept, shown), again = () => logInAtSite(phone, kept, shown);
    if (enrolled.has(shown)) return announce(say("site.enrolled", shown));
    const why = await phone.choose(shown);
    if (why) return notFound(phone, row, why, again);
    const given = secret(password.input, false);
    if (!given) return announce(say("store.bounds"));
    waiting(phone, say("login.wait", shown));
    const end = await phone.run(["atSite", row, "logInWithPassword", given], {}, shown);
    given.fill(0);
    if (end.kind === "failed") return message(phone, say("login.failed"), "bad", failure(end.value, shown), button("main", again, "again"));
    if (end.value.word === "done") {
      // If this write fails, the user types the number again.
      await phone.store.perform("visited", kept.id, [shown]);
      return session(phone, row, true);
    }
    const isWrong = end.value.word === "refused" && end.value.code === CODES.wrongCredentials;
    message(phone, say("login.failed"), "bad", isWrong ? say("site.wrong", shown) : outcome(end.value, shown), button("main", again, "again"));
  };
  password.input.addEventListener("keydown", event => { if (event.key === "Enter") submit(); });
  screen(say("site.login"), note.length ? make("p", { class: "good", role: "status" }, note) : [],
    paragraph("login.site", text(facts(kept).user)), number.node, password.node, button("main", submit, "site.login.button"),
    make("p", { class: "soft" }, say("enrol.pair")), make("nav", {}, button("", phone.home, "back")));
  (digits ? password : number).input.focus();
}
