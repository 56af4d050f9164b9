// The phone: radio, store, and functions that run an order for a screen.

import { Errand } from "./errand.js";
import { PasskeyError } from "./passkey.js";
import * as named from "./named.js";
import { failure, notChosen, outcome } from "./sentences.js";
import { say, text, visible } from "./texts.js";
import { announce, button, make, paragraph, screen } from "./ui.js";

export class Phone {
  constructor(radio, store, home) {
    this.radio = radio;
    this.store = store;
    this.home = home;
  }

  // Asks for the box, then the passkey. Call this first in a click: the browser's list needs a click. Returns null, or
  // the failure's title and text. `again`: ask for the passkey even if the keys are open.
  async choose(digits, { anyName = false, again = false } = {}) {
    try {
      await this.radio.choose(digits, anyName);
    } catch (error) {
      return { title: say("chosen.title"), nodes: await notChosen(error), isOfList: true };
    }
    return this.open(again);
  }

  // Opens the keys with the passkey, if any. The keys stay open until the list of boxes is shown.
  async open(again = false) {
    const { guard } = this.store;
    if (!guard.isOn || guard.isOpen && !again) return null;
    announce(say("pass.give"));
    this.giving ??= guard.open().finally(() => { this.giving = null; });
    try {
      if (!await this.giving) return { title: say("pass.title"), nodes: say("pass.changed") };
      announce("");
      return null;
    } catch (error) {
      return { title: say("pass.title"), nodes: say(error instanceof PasskeyError ? error.message : "pass.notGiven") };
    }
  }

  // Completes an order with time and row of its site.
  async #whole([word, ...rest]) {
    const seconds = Math.floor(Date.now() / 1000);
    if (word === "join") return [word, seconds, ...rest, null, await this.store.siteRows()];
    const row = word === "atSite" ? rest.shift() : rest[0]?.[0];
    if (!row?.isOfSite) return [word, ...rest];
    if (word !== "atSite") rest.splice(0, 1, word);
    return ["atSite", seconds, await this.store.siteRow(row.id), rowDigits(row), ...rest];
  }

  // Runs an order to its end. `once`: the box, noted first, of an order that must not be sent twice.
  async run(order, person, once = null) {
    const full = once && await this.store.setNote("underWay", once).catch(error => error.name);
    if (full) return named.end(["failed", ["store", full]]);
    this.errand = new Errand(await this.#whole(order), this.radio, this.store, { show: progress, watched() {}, choose: ([[id]]) => id, ...person });
    this.isRunning = true;
    const end = named.end(await this.errand.done);
    this.isRunning = false;
    if (once) await this.store.setNote("underWay", null);
    // Another device shows the same digits.
    if (end.value?.word === "notTheBox") this.radio.letGo(end.value.boxID);
    return end;
  }

  // Returns why the core would ask before it sends the stored password: { refusedAt }, null if it would not.
  async doubt(row) {
    let doubt = null;
    const none = { drop() {} }, askAgain = refusedAt => { doubt = { refusedAt }; return false; };
    await new Errand(["reconsider", [row]], none, this.store, { askAgain }).done;
    return doubt;
  }

  // Reads the row again.
  async fresh(row) {
    if (row.isOfSite) return row;
    return (await this.store.rows()).find(each => each.id.join() === row.id.join()) ?? null;
  }
}

export const rowDigits = row => text(row.boxID);

// Shows the six digits. Equal digits are the only proof of the other end's identity.
export const compare = phone => (word, value) => {
  if (word !== "compare") return progress(word, value);
  waiting(phone, say("compare.title"), make("p", { class: "digits" }, make("bdi", {}, value.slice(0, 3) + " " + value.slice(3))),
    paragraph("compare.text"), paragraph("compare.differ"));
};

// Announces the progress.
export function progress(word, value) {
  announce(say("p." + word, visible(value ?? "")));
}

export function waiting(phone, heading, ...more) {
  screen(heading, make("div", { class: "busy" }), ...more,
    make("nav", {}, button("", () => phone.errand?.tell("cancel"), "cancel")));
}

export function message(phone, heading, kind, nodes, ...buttons) {
  screen(heading, make("p", { class: kind, role: "alert" }, nodes), ...buttons, make("nav", {}, button("", phone.home, "toBoxes")));
}

// Sends a request to a box and shows the result. `once`: never sent twice.
export async function ask(phone, row, order, { once = false, done = null, refused = null } = {}) {
  const digits = rowDigits(row), why = await phone.choose(digits);
  if (why) return notFound(phone, row, why, () => ask(phone, row, order, { once, done, refused }));
  waiting(phone, say("wait.title", digits));
  const end = await phone.run(order, {}, once ? digits : null);
  for (const item of order) if (item instanceof Uint8Array) item.fill(0);
  if (end.kind === "failed") return message(phone, say("failed.title"), "bad", failure(end.value, once && digits));
  const isDone = end.value.word === "done";
  if (!isDone) await refused?.();
  if (isDone && done) return done(await phone.fresh(row));
  return message(phone, say(isDone ? "done.title" : "failed.title"), isDone ? "good" : "bad", outcome(end.value, digits));
}

// The passkey was not given, or the list was closed or lacked the box, whose digits may be new.
export function notFound(phone, row, why, again) {
  const digits = rowDigits(row);
  message(phone, why.title, "bad", why.nodes, button("main", again, "again"), !why.isOfList || row.isOfSite ? [] :
    button("", async () => {
      const another = await phone.choose(digits, { anyName: true });
      if (another) return notFound(phone, row, another, again);
      const shown = /^Box (\d{4,6})$/.exec(phone.radio.name)?.[1] ?? digits;
      waiting(phone, say("wait.title", shown));
      const end = await phone.run(["find", shown, [row]], {});
      if (end.kind === "found" && end.value) return phone.home();
      message(phone, say("failed.title"), "bad", end.kind === "failed" ? failure(end.value) : say("f.unknownBox", shown));
    }, "otherDigits"));
}
