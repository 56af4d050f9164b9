// One phone: its radio and store, and how a screen gives an order and meets its end.

import { Errand } from "./errand.js";
import { failure, notChosen, outcome } from "./sentences.js";
import { say, text, visible } from "./texts.js";
import { announce, button, make, screen } from "./ui.js";

export class Phone {
  constructor(radio, store, home) {
    this.radio = radio;
    this.store = store;
    this.home = home;
  }

  // The person chooses the box: call it first in a click. Null: they did, and the browser hands it out.
  async choose(digits, anyName) {
    try {
      await this.radio.choose(digits, anyName);
      return null;
    } catch (error) {
      return notChosen(error);
    }
  }

  // Runs an order to its end. `once` names the box of something that may be sent one time only: it is noted, durably, before.
  async run(order, person, once = null) {
    if (once) await this.store.setNote("underWay", once);
    this.errand = new Errand(order, this.radio, this.store, { show: progress, watched() {}, choose: rows => rows[0][0], ...person });
    const end = await this.errand.done;
    if (once) await this.store.setNote("underWay", null);
    return end;
  }

  // As the store has it now.
  async fresh(row) {
    return (await this.store.rows()).find(each => each[0].join() === row[0].join()) ?? null;
  }
}

export const rowDigits = row => text(row[1]);

// Where the errand is: said aloud.
export function progress(word, value) {
  announce(say("p." + word, visible(value ?? "")));
}

export function waiting(phone, heading, ...more) {
  screen(heading, make("div", { class: "busy", "aria-hidden": "true" }), ...more,
    make("nav", {}, button("", () => phone.errand?.tell("cancel"), "cancel")));
}

export function message(phone, heading, kind, nodes, ...buttons) {
  screen(heading, make("p", { class: kind, role: "alert" }, nodes), ...buttons, make("nav", {}, button("", phone.home, "toBoxes")));
}

// Asks one thing of a box and says what came of it. `once`: it is never sent twice.
export async function ask(phone, row, order, { once = false, done = null } = {}) {
  const digits = rowDigits(row), why = await phone.choose(digits);
  if (why) return notFound(phone, row, why, () => ask(phone, row, order, { once, done }));
  waiting(phone, say("wait.title", digits));
  const end = await phone.run(order, {}, once ? digits : null);
  for (const item of order) if (item instanceof Uint8Array) item.fill(0);
  if (end[0] === "failed") return message(phone, say("failed.title"), "bad", failure(end[1], once));
  if (end[1][0] === "done" && done) return done(await phone.fresh(row));
  return message(phone, say(end[1][0] === "done" ? "done.title" : "failed.title"), end[1][0] === "done" ? "good" : "bad",
    outcome(end[1], digits));
}

// The browser's list was closed, or had no such box. Its digits may be others by now.
export function notFound(phone, row, why, again) {
  const digits = rowDigits(row);
  message(phone, say("chosen.title"), "bad", why, button("main", again, "again"),
    button("", async () => {
      const another = await phone.choose(digits, true);
      if (another) return notFound(phone, row, another, again);
      const shown = /^Box (\d{4,6})$/.exec(phone.radio.name)?.[1] ?? digits;
      waiting(phone, say("wait.title", shown));
      const end = await phone.run(["find", shown, [row]], {});
      if (end[0] === "found" && end[1]) return phone.home();
      message(phone, say("failed.title"), "bad", end[0] === "failed" ? failure(end[1]) : say("f.unknownBox", shown));
    }, "otherDigits"));
}
