// Sets up, removes or forgets this phone's passkey.

import { PasskeyError, create, discard, isPossible, isRecommended } from "./passkey.js";
import { say } from "./texts.js";
import { announce, button, make, paragraph, screen } from "./ui.js";
import { message, rowDigits } from "./phone.js";

const back = go => make("nav", {}, button("", go, "back"));

// Runs before a box's first key exists, so that no key is on disk without the passkey.
export async function setUpFirst(phone, next) {
  if (phone.store.guard.isOn || !await isRecommended()) return next();
  explain(phone, next, next);
}

// `next` runs after the setup; `without`, if offered, continues with no passkey.
function explain(phone, next, without) {
  const begin = async () => {
    announce(say("pass.give"));
    try {
      check(phone, next, without, await create());
    } catch (error) {
      failed(phone, error, () => explain(phone, next, without), without);
    }
  };
  screen(say("pass.offer"), ["pass.what", "pass.lostMeans", "pass.twice"].map(key => paragraph(key)),
    button("main", begin, "pass.setUp"), goOn(without), back(phone.home));
}

// Nothing depends on the passkey until it gave its value twice.
function check(phone, next, without, made) {
  const again = async () => {
    announce(say("pass.give"));
    try {
      await phone.store.guard.setUp(made);
    } catch (error) {
      // The passkey's first value is wiped, unless the user cancelled.
      const isOver = !(error instanceof PasskeyError) || error.message !== "pass.notGiven";
      if (isOver) discard(made.record);
      return failed(phone, error, () => isOver ? explain(phone, next, without) : check(phone, next, without, made), without);
    }
    next();
  };
  const dropped = go => go && (() => { discard(made.record); go(); });
  screen(say("pass.check"), paragraph("pass.check.text"), button("main", again, "pass.check.button"), goOn(dropped(without)),
    back(dropped(phone.home)));
}

const goOn = without => without ? button("", without, "pass.without") : [];

function failed(phone, error, retry, without) {
  message(phone, say("pass.title"), "bad", error instanceof PasskeyError ? say(error.message) : say("f.store", String(error?.name)),
    button("main", retry, "again"), goOn(without));
}

// The card in the settings.
export function passkeyCard(phone, settings) {
  if (!isPossible()) return [];
  const { guard } = phone.store;
  return make("section", { class: "card" }, make("h2", {}, say("pass.title")), paragraph(guard.isOn ? "pass.isOn" : "pass.isOff"),
    guard.isOn ? [button("", () => remove(phone, settings), "pass.remove"), button("risk", () => lost(phone, settings), "pass.lost")]
      : button("", () => explain(phone, () => message(phone, say("pass.title"), "good", say("pass.done")), null), "pass.setUp"));
}

function remove(phone, settings) {
  const go = async () => {
    const why = (await phone.store.rows()).length ? await phone.open(true) : null;
    if (why) return message(phone, why.title, "bad", why.nodes, button("main", () => remove(phone, settings), "again"));
    try {
      await phone.store.guard.remove();
    } catch (error) {
      return failed(phone, error, go, null);
    }
    message(phone, say("pass.title"), "good", say("pass.removed"));
  };
  screen(say("pass.remove"), paragraph("pass.remove.text"), button("risk", go, "pass.remove"), back(settings));
}

function lost(phone, settings) {
  const go = async () => {
    const rows = await phone.store.rows();
    await phone.store.guard.forgetAll();
    rows.forEach(row => phone.radio.letGo(rowDigits(row)));
    phone.home();
  };
  screen(say("pass.lost"), paragraph("pass.lost.text"), button("risk", go, "pass.lost.button"), back(settings));
}
