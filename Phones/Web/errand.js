// Runs one order to its end: performs the core's actions and reports events. Decides nothing.

import * as clock from "./clock.js";
import { decode, encode } from "./cbor.js";
import { coreWorker } from "./release.js";

const RADIO = new Set(["scan", "stopScan", "connect", "identify", "open", "write", "disconnect", "measure"]);

export class Errand {
  #worker; #timer; #resolve; #radio; #store; #person;

  // `person` is the core's screen: show(progress), watched(event), askPIN(digits, left, repeated) → bytes or null,
  // choose(rows) → id or null, askAgain(seconds or null) → boolean.
  constructor(order, radio, store, person) {
    this.#radio = radio;
    this.#store = store;
    this.#person = person;
    this.done = new Promise(resolve => { this.#resolve = resolve; });
    clock.whenWoken(this.#woken);
    coreWorker().then(worker => {
      this.#worker = worker;
      worker.onmessage = ({ data }) => this.#hear(data);
      worker.onerror = event => { event.preventDefault(); this.#over(["failed", ["stopped"]]); };
      this.#post("start", order);
    }, () => this.#over(["failed", ["otherCore"]]));
  }

  #woken = () => { if (this.#worker) this.#radio.drop(); };

  #post(call, message) {
    const bytes = encode(message);
    this.#worker.postMessage({ call, bytes, now: clock.now() }, [bytes.buffer]);
  }

  tell(...event) {
    if (this.#worker) this.#post("event", event);
  }

  #hear({ error, actions, deadline }) {
    if (error) return this.#over(["failed", ["notTaken", String(error)]]);
    for (const bytes of actions) {
      const action = decode(bytes);
      bytes.fill(0);
      this.#perform(...action).catch(error => this.#over(["failed", ["store", error.name]]));
    }
    clearTimeout(this.#timer);
    if (this.#worker && deadline >= 0)
      this.#timer = setTimeout(() => this.tell("time"), Math.min(Math.max(0, deadline - clock.now()) / 1000 + 1, 2 ** 30));
  }

  async #perform(word, ...rest) {
    const tell = (...event) => this.tell(...event);
    if (RADIO.has(word)) return this.#radio.perform(word, rest[0], rest[1], tell);
    switch (word) {
      case "vault": {
        const [op, command, id, ...values] = rest, answer = await this.#store.perform(command, id, values);
        this.tell("vault", op, ...answer);
        for (const each of [...values, ...answer]) if (each instanceof Uint8Array && each.length === 32) each.fill(0);
        return;
      }
      case "askPIN": {
        const pin = await this.#person.askPIN(...rest);
        this.tell("pin", pin);
        return pin?.fill(0);
      }
      case "choose": return this.tell("chosen", await this.#person.choose(...rest));
      case "askAgain": return this.tell("again", await this.#person.askAgain(...rest));
      case "show": return this.#person.show(...rest[0]);
      case "watched": return this.#person.watched(...rest[0]);
      case "finished": return this.#over(rest[0]);
    }
  }

  #over(end) {
    clearTimeout(this.#timer);
    if (this.#worker) this.#worker.terminate();
    this.#worker = null;
    this.#radio.drop();
    this.#resolve(end);
  }
}
