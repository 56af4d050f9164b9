// Login at a box, and the password and PIN that the box stores.

import { failure, outcome } from "./sentences.js";
import { moment, say, text } from "./texts.js";
import { announce, button, field, make, paragraph, pinPad, screen, secret } from "./ui.js";
import { ask, message, notFound, progress, rowDigits, waiting } from "./phone.js";
import { CODES } from "./named.js";
import { session } from "./session.js";
import { logInAtSite } from "./site.js";

// `isAsked`: the user wants a doubtful password sent.
export async function logIn(phone, row, isAsked = false) {
  if (row.isOfSite) return logInAtSite(phone, await phone.store.kept(row.id), rowDigits(row));
  const digits = rowDigits(row), { guard } = phone.store, doubt = isAsked ? null : phone.doubt(row);
  // Returns whether the question takes the place of this login.
  const asks = async isHere => {
    const found = await doubt;
    if (!found || !isHere()) return !!found;
    const answer = await again(digits, found);
    if (answer === "store") storePassword(phone, row);
    else if (answer) logIn(phone, row, true);
    else phone.home();
    return true;
  };
  if (guard.hasPIN(row.id)) return await asks(() => true) || logInByTouch(phone, row, isAsked);
  const keep = keepBox(phone, guard.wantsPIN(row.id));
  const submit = async () => {
    // The browser opens its list only within a click.
    const why = await phone.choose(digits);
    if (why) return notFound(phone, row, why, () => logIn(phone, row, isAsked));
    if (await asked) return;
    const pin = pad.take();
    if (!pin) return announce(say("pin.bounds"));
    await send(phone, row, pin, { isAsked, keeps: keep.isWanted() });
  };
  const pad = pinPad("pin.label", submit);
  screen(say("login.title", digits), paragraph("login.user", text(row.user)), pad.node, pad.keys, keep.node,
    button("main", submit, "login.button", digits), phone.radio.isChosen(digits) ? [] : make("p", { class: "soft" }, say("login.chooser", digits)),
    make("nav", {}, button("", phone.home, "back")));
  pad.input.focus();
  // The pad is there at once. The question replaces it before much is typed.
  const asked = asks(() => pad.node.isConnected);
}

// The passkey opens the PIN: one touch, no typing.
async function logInByTouch(phone, row, isAsked) {
  const why = await phone.choose(rowDigits(row), { again: true });
  if (why) return notFound(phone, row, why, () => logIn(phone, row, isAsked));
  await send(phone, row, await phone.store.guard.pin(row.id), { isAsked, keeps: true, wasKept: true });
}

// `isAsked` is as above. `keeps`: keep the PIN, sealed, once the box accepts it. `wasKept`: the PIN was
// kept before.
async function send(phone, row, first, { isAsked, keeps, wasKept = false }) {
  const digits = rowDigits(row), heading = () => say("login.wait", digits), { guard } = phone.store;
  let pin = first, sealed = null, isRight = false, undo = null;
  phone.isSent = null;
  const offered = async (given, isKept) => {
    if (keeps) sealed = await guard.sealPIN(row.id, given);
    undo = isKept ? await guard.doubtPIN(row.id) : null;
    return under(phone, digits, given, heading);
  };
  waiting(phone, heading());
  const end = await phone.run(["login", [row], true], {
    show: (word, value) => {
      isRight ||= ACCEPTED.has(word);
      progress(word, value);
    },
    askAgain: () => isAsked,
    // Warn of the last try before a PIN is sent.
    askPIN: async (_, left, repeated) => {
      const given = pin;
      pin = phone.isSent = null;
      // Do not send a kept PIN that is now in doubt.
      if (given && !repeated && left !== 1 && (!wasKept || guard.hasPIN(row.id))) return offered(given, wasKept);
      given?.fill(0);
      await phone.store.setNote("underWay", null);
      const next = await another(phone, digits, left, repeated, wasKept && repeated);
      return next && offered(next, false);
    } });
  await phone.store.setNote("underWay", null);
  pin?.fill(0);
  if (isRight && guard.isOn) await guard.keepPIN(row.id, sealed);
  else if (end.kind === "loggedIn" && !wasWrong(end.value)) await undo?.();
  const { word, code } = end.value;
  if (end.kind === "failed") return message(phone, say("login.failed"), "bad", failure(end.value, phone.isSent), ...retry(phone, row, word));
  if (word === "done") return session(phone, row, true);
  if (["gaveUp", "notSentAgain"].includes(word)) return phone.home();
  const kept = await phone.fresh(row);
  message(phone, say("login.failed"), "bad", outcome(end.value, digits),
    kept && (word === "refused" && RENEWING.includes(code) || word === "noCredential") ? button("main", () => storePassword(phone, kept), "store.button", digits) : []);
}

// The box has opened the password with the PIN, so the PIN is right (docs/reference/protocol.md, section 10).
const ACCEPTED = new Set(["waitingForPrompt", "delivered"]);
export const wasWrong = ({ word, code }) => word === "refused" && (code === CODES.pinWrong || code === CODES.wiped);
// The box has no password, or an old one.
const RENEWING = [CODES.wrongCredentials, CODES.passwordMustChange, CODES.wiped, CODES.noCredential, CODES.credentialStale];

// Notes the login first, so that a reload can report an unknown result.
async function under(phone, digits, pin, heading) {
  await phone.store.setNote("underWay", digits);
  phone.isSent = digits;
  waiting(phone, heading());
  return pin;
}

// Asks about a doubtful password: true to resend, false, or "store" another.
export const again = (digits, { refusedAt }) => new Promise(resolve => {
  const way = (answer, ...words) => button("", () => resolve(answer), ...words);
  screen(say("login.title", digits), refusedAt === null ? paragraph("again.unknown", digits) : paragraph("again.refused", digits, moment(refusedAt)),
    way("store", "store.button", digits), way(true, "again"), make("nav", {}, way(false, "cancel")));
});

function another(phone, digits, left, repeated, wasKept) {
  return new Promise(resolve => {
    const submit = () => {
      const pin = pad.take();
      if (pin) resolve(pin);
      else announce(say("pin.bounds"));
    };
    const pad = pinPad("pin.label", submit);
    screen(say("login.title", digits),
      make("p", { class: "bad", role: "alert" }, say(left === 1 ? "pin.last" : repeated ? "r.6" : "pin.left", String(left))),
      wasKept ? paragraph("pass.pinOther") : [],
      pad.node, pad.keys, button("main", submit, "login.button", digits), make("nav", {}, button("", () => resolve(null), "cancel")));
    pad.input.focus();
  });
}

function retry(phone, row, word) {
  if (word === "noDeviceSecret") return [button("main", () => storePassword(phone, row), "store.button", rowDigits(row))];
  return ["boxNotFound", "unreachable"].includes(word) || word === "linkLost" && !phone.isSent ? [button("main", () => logIn(phone, row), "again")] : [];
}

// The password goes to the box only; the page stores none.
export function storePassword(phone, row) {
  const digits = rowDigits(row), { guard } = phone.store, keep = keepBox(phone, true);
  const password = field("store.password", { type: "password" }), pin = field("store.pin", pinField), again = field("store.repeat", pinField);
  const submit = async () => {
    const why = await phone.choose(digits);
    if (why) return notFound(phone, row, why, () => storePassword(phone, row));
    if (isDifferent(pin.input, again.input)) return;
    again.input.value = "";
    const first = secret(password.input, false), second = secret(pin.input, true);
    if (!first) return announce(say("store.bounds"));
    if (!second) return announce(say("pin.bounds"));
    const sealed = keep.isWanted() ? await guard.sealPIN(row.id, second) : null;
    const refused = await guard.doubtPIN(row.id);
    await ask(phone, row, ["storeCredential", [row], first, second], { once: true, refused, done: async kept => {
      if (guard.isOn) await guard.keepPIN(row.id, sealed);
      message(phone, say("store.done"), "good", say("store.done.text", digits), button("main", () => logIn(phone, kept), "login.button", digits));
    } });
  };
  again.input.addEventListener("keydown", event => { if (event.key === "Enter") submit(); });
  screen(say("store.title", digits), paragraph("store.text", digits), password.node, pin.node,
    again.node, keep.node,
    button("main", submit, "store.send", digits), make("nav", {}, button("", phone.home, "later")));
  password.input.focus();
}

// Either PIN may have the typo, so both are cleared.
function isDifferent(first, second) {
  if (first.value.normalize("NFC") === second.value.normalize("NFC")) return false;
  first.value = second.value = "";
  first.focus();
  announce(say("pin.differ"));
  return true;
}

const pinField = { type: "password", maxlength: 64, autocomplete: "one-time-code" };

export function changePIN(phone, row) {
  const digits = rowDigits(row);
  const old = field("pin.old", pinField), fresh = field("pin.new", pinField), again = field("store.repeat", pinField);
  const submit = async () => {
    const why = await phone.choose(digits);
    if (why) return notFound(phone, row, why, () => changePIN(phone, row));
    if (isDifferent(fresh.input, again.input)) return;
    waiting(phone, say("wait.title", digits));
    const before = await phone.run(["status", [row]], {});
    if (before.kind === "failed") return message(phone, say("failed.title"), "bad", failure(before.value));
    const order = () => {
      const first = secret(old.input, true), second = secret(fresh.input, true);
      again.input.value = "";
      if (!first || !second) return message(phone, say("failed.title"), "bad", say("pin.bounds"));
      return changed(phone, row, first, second);
    };
    // A wrong old PIN costs a try.
    if (before.state?.pinAttemptsLeft !== 1) return order();
    message(phone, say("pin.change"), "bad", say("pin.last"), button("risk", order, "pin.tryLast"));
  };
  screen(say("pin.change"), phone.store.guard.wantsPIN(row.id) ? paragraph("pass.pinFollows") : [], old.node, fresh.node, again.node, button("main", submit, "pin.change"),
    make("nav", {}, button("", phone.home, "back")));
  old.input.focus();
}

// Updates a kept PIN once the box has the new one.
async function changed(phone, row, old, fresh) {
  const { guard } = phone.store, sealed = guard.wantsPIN(row.id) ? await guard.sealPIN(row.id, fresh) : null;
  const refused = await guard.doubtPIN(row.id);
  return ask(phone, row, ["changePIN", [row], old, fresh], { once: true, refused,
    done: async () => {
      if (sealed) await guard.keepPIN(row.id, sealed);
      message(phone, say("done.title"), "good", say("o.done", rowDigits(row)));
    } });
}

// Asks whether to keep the PIN, if there is a passkey.
function keepBox(phone, isChecked) {
  if (!phone.store.guard.isOn) return { node: [], isWanted: () => false };
  const { input, node } = field("pass.keepPIN", { type: "checkbox", checked: isChecked });
  node.classList.add("check");
  return { node, isWanted: () => input.checked };
}
