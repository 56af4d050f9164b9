// Logging in at a box, and what the box keeps for it: password and PIN.

import { failure, outcome } from "./sentences.js";
import { say, text } from "./texts.js";
import { announce, button, field, make, paragraph, pinPad, screen, secret } from "./ui.js";
import { ask, message, notFound, rowDigits, waiting } from "./phone.js";
import { session } from "./session.js";

export function logIn(phone, row, note = []) {
  const digits = rowDigits(row);
  const submit = async () => {
    // The browser's list opens only from within the click.
    const why = await phone.choose(digits);
    if (why) return notFound(phone, row, why, () => logIn(phone, row));
    const pin = pad.take();
    if (!pin) return announce(say("pin.bounds"));
    await send(phone, row, pin);
  };
  const pad = pinPad("pin.label", submit);
  screen(say("login.title", digits), note, paragraph("login.user", text(row[5])), pad.node, pad.keys,
    button("main", submit, "login.button", digits), phone.radio.isChosen(digits) ? [] : make("p", { class: "soft" }, say("login.chooser", digits)),
    make("nav", {}, button("", phone.home, "back")));
  pad.input.focus();
}

async function send(phone, row, first) {
  const digits = rowDigits(row), heading = () => say("login.wait", digits);
  let pin = first;
  waiting(phone, heading());
  const end = await phone.run(["login", [row], true], {
    // The last try is known as such before anybody's PIN is sent.
    askPIN: async (_, left, repeated) => {
      const given = pin;
      pin = null;
      if (given && !repeated && left !== 1) return under(phone, digits, given, heading);
      given?.fill(0);
      await phone.store.setNote("underWay", null);
      const next = await another(phone, digits, left, repeated);
      return next && under(phone, digits, next, heading);
    } });
  await phone.store.setNote("underWay", null);
  pin?.fill(0);
  if (end[0] === "failed") return message(phone, say("login.failed"), "bad", failure(end[1], true), ...retry(phone, row, end[1][0]));
  if (end[1][0] === "done") return session(phone, row, true);
  if (end[1][0] === "gaveUp") return phone.home();
  const kept = await phone.fresh(row), code = end[1][0] === "refused" ? end[1][1] : 0;
  message(phone, say("login.failed"), "bad", outcome(end[1], digits),
    kept && ([1, 5, 7, 15, 19].includes(code) || end[1][0] === "noCredential") ? button("main", () => storePassword(phone, kept), "store.button", digits) : []);
}

// Written down before it is sent: whoever reloads is told that it is not known.
async function under(phone, digits, pin, heading) {
  await phone.store.setNote("underWay", digits);
  waiting(phone, heading());
  return pin;
}

function another(phone, digits, left, repeated) {
  return new Promise(resolve => {
    const submit = () => {
      const pin = pad.take();
      if (pin) resolve(pin);
      else announce(say("pin.bounds"));
    };
    const pad = pinPad("pin.label", submit);
    screen(say("login.title", digits),
      make("p", { class: "bad", role: "alert" }, say(left === 1 ? "pin.last" : repeated ? "r.6" : "pin.left", String(left))),
      pad.node, pad.keys, button("main", submit, "login.button", digits), make("nav", {}, button("", () => resolve(null), "cancel")));
    pad.input.focus();
  });
}

function retry(phone, row, word) {
  if (word === "noDeviceSecret") return [button("main", () => storePassword(phone, row), "store.button", rowDigits(row))];
  return word === "boxNotFound" || word === "unreachable" ? [button("main", () => logIn(phone, row), "again")] : [];
}

// The password goes to the box and nowhere else: the page keeps none.
export function storePassword(phone, row) {
  const digits = rowDigits(row);
  const password = field("store.password", { type: "password" }), pin = field("store.pin", pinField), again = field("store.repeat", pinField);
  const submit = async () => {
    const why = await phone.choose(digits);
    if (why) return notFound(phone, row, why, () => storePassword(phone, row));
    if (pin.input.value.normalize("NFC") !== again.input.value.normalize("NFC")) return announce(say("pin.differ"));
    again.input.value = "";
    const first = secret(password.input, false), second = secret(pin.input, true);
    if (!first) return announce(say("store.bounds"));
    if (!second) return announce(say("pin.bounds"));
    await ask(phone, row, ["storeCredential", [row], first, second], { once: true, done: kept =>
      message(phone, say("store.done"), "good", say("store.done.text", digits), button("main", () => logIn(phone, kept), "login.button", digits)) });
  };
  again.input.addEventListener("keydown", event => { if (event.key === "Enter") submit(); });
  screen(say("store.title", digits), paragraph("store.text", digits), password.node, pin.node, again.node,
    button("main", submit, "store.send", digits), make("nav", {}, button("", phone.home, "later")));
  password.input.focus();
}

const pinField = { type: "password", maxlength: 64, autocomplete: "one-time-code" };

export function changePIN(phone, row) {
  const digits = rowDigits(row);
  const old = field("pin.old", pinField), fresh = field("pin.new", pinField), again = field("store.repeat", pinField);
  const submit = async () => {
    const why = await phone.choose(digits);
    if (why) return notFound(phone, row, why, () => changePIN(phone, row));
    if (fresh.input.value.normalize("NFC") !== again.input.value.normalize("NFC")) return announce(say("pin.differ"));
    waiting(phone, say("wait.title", digits));
    const before = await phone.run(["status", [row]], {});
    if (before[0] === "failed") return message(phone, say("failed.title"), "bad", failure(before[1]));
    const order = () => {
      const first = secret(old.input, true), second = secret(fresh.input, true);
      again.input.value = "";
      if (!first || !second) return message(phone, say("failed.title"), "bad", say("pin.bounds"));
      return ask(phone, row, ["changePIN", [row], first, second], { once: true });
    };
    // A wrong old PIN is a try spent.
    if (before[2]?.[8] !== 1) return order();
    message(phone, say("pin.change"), "bad", say("pin.last"), button("risk", order, "pin.tryLast"));
  };
  screen(say("pin.change"), old.node, fresh.node, again.node, button("main", submit, "pin.change"),
    make("nav", {}, button("", phone.home, "back")));
  old.input.focus();
}
