// Shows a box's reports while the page is open: session, its end, elevation. The user taps each action.

import * as named from "./named.js";
import { failure, outcome } from "./sentences.js";
import { span } from "./span.js";
import { say, text } from "./texts.js";
import { announce, button, field, make, paragraph, pinPad, screen, secret } from "./ui.js";
import { message, notFound, progress, rowDigits, waiting } from "./phone.js";
import { autoLogout } from "./autologout.js";
import * as clock from "./clock.js";
import { again, logIn, storePassword, wasWrong } from "./login.js";

export async function session(phone, row, justNow = false) {
  const digits = rowDigits(row), why = await phone.choose(digits);
  if (why) return notFound(phone, row, why, () => session(phone, row));
  waiting(phone, justNow ? say("o.login", digits) : say("wait.title", digits));
  const view = new View(phone, row, justNow);
  const end = await phone.run(["watch", [row]], { show: progress, watched: (...event) => view.hear(...event),
    askAgain: () => view.isAsked });
  view.stopCounting();
  if (end.kind === "failed") return message(phone, say("failed.title"), "bad", failure(end.value));
  view.next();
}

// The rest of `seconds` that were reported at `since`, in the clock's microseconds.
const left = (seconds, since) => Math.max(0, seconds - Math.floor((clock.now() - since) / 1e6));

class View {
  state = null; stateAt = 0; warning = null; warningAt = 0; request = null; doubt = null; isAsked = false; note = []; #ticking; #counters = [];

  constructor(phone, row, justNow) {
    this.phone = phone;
    this.row = row;
    this.digits = rowDigits(row);
    this.next = phone.home;
    if (justNow) this.note = make("p", { class: "good", role: "status" }, say("o.login", this.digits));
  }

  hear(word, first, second) {
    switch (word) {
      case "state": this.state = named.state(first); this.stateAt = clock.now(); break;
      case "warning": this.warning = first && named.warning(first); this.warningAt = clock.now(); break;
      case "elevation": this.request = first; return this.consider();
      case "sessionEnded": this.tell("good", say("e." + first)); break;
      case "acted": this.told(named.outcome(second), "s.done." + first); break;
      case "answered": this.answered(named.outcome(second), first); return this.consider();
      // The outcome is unknown, so a kept PIN stays in doubt.
      case "lost": this.settle = null; return announce(failure(first), " ", say("s.again"));
      default: return;
    }
    // Do not redraw while the user types.
    if (!this.request) this.draw();
    if (word === "warning" && first) announce(say("w." + first.cause, String(first.seconds)));
  }

  // A kept PIN that the box refused is not sent again.
  answered(result, isAllowed) {
    const isWrong = wasWrong(result), wasKept = isAllowed ? this.settle : null;
    if (isAllowed) this.settle = null;
    if (result.code === named.CODES.timedOut) this.tell("bad", say("q.over"));
    else this.told(result, isAllowed ? "s.allowed" : "s.declined");
    if (!isWrong) wasKept?.();
    else if (wasKept && result.code === named.CODES.pinWrong) this.note.append(" ", ...say("pass.pinOther"));
  }

  // Finds out whether "Allow" asks about the password, before the user types a PIN.
  async consider() {
    this.isAsked = false;
    this.doubt = this.request && !this.row.isOfSite ? await this.phone.doubt(this.row) : null;
    this.draw();
  }

  // The question ends with the request.
  async askAgain() {
    const answer = await Promise.race([again(this.digits, this.doubt), new Promise(resolve => { this.unask = resolve; })]);
    if (answer === "store") return this.leave(() => storePassword(this.phone, this.row));
    this.isAsked = answer === true;
    this.draw();
  }

  tell(kind, nodes) { this.note = make("p", { class: kind, role: "alert" }, nodes); }

  told(result, key) {
    if (result.word === "done") this.tell("good", say(key));
    else this.tell("bad", outcome(result, this.digits));
  }

  tap(...words) {
    this.phone.errand.tell("tap", ...words);
    announce(say("s.asked"));
  }

  // Actions that open something need the passkey again, if any; others, only the unlocked phone.
  async opened(act) {
    const why = await this.phone.open(true);
    if (!why) return act();
    this.tell("bad", why.nodes);
    this.draw();
  }

  leave(next) {
    this.next = next;
    this.phone.errand.tell("stop");
  }

  // A sentence with a countdown of seconds.
  #counting(kind, key, seconds, since, show) {
    const sentence = make("p", { class: kind }, say(key, show(left(seconds, since)))), number = sentence.querySelector("bdi");
    this.#counters.push(() => { number.textContent = show(left(seconds, since)); });
    return sentence;
  }

  stopCounting() {
    clearInterval(this.#ticking);
    this.#counters = [];
  }

  draw() {
    this.unask?.();
    this.stopCounting();
    if (this.request) return this.drawRequest();
    if (!this.state) return;
    const { session: kind, user, logoutInSeconds: ending } = this.state, act = (word, risk = "") => button(risk, () => this.tap(word), "s." + word);
    const acts = kind === 0 ? [button("main", () => this.leave(() => logIn(this.phone, this.row)), "login.button", this.digits)]
      : kind === 1 ? [make("div", { class: "row" }, act("lock"), act("logout", "risk"))]
        : [button("main", () => this.opened(() => this.tap("unlock")), "s.unlock"),
          make("p", { class: "soft" }, say(this.phone.store.guard.isOn ? "s.unlock.passkey" : "s.unlock.note")), act("logout", "risk")];
    const warned = this.warning && make("section", { class: "card" },
      this.#counting("bad", "w." + this.warning.cause, this.warning.seconds, this.warningAt, String), this.warning.canExtend ? act("extend", "main") : []);
    screen(say(this.row.isOfSite ? "site.box" : "s.title", this.digits), this.note, make("section", { class: "card" },
      make("p", {}, say("s.state." + kind, user ? text(user) : "")),
      ending === null ? [] : this.#counting("soft", "s.left", ending, this.stateAt, span)), warned || [], acts,
      button("", () => this.leave(() => autoLogout(this.phone, this.row, this.state)), "away.button"),
      make("nav", {}, button("", () => this.leave(this.phone.home), "toBoxes")));
    this.#ticking = setInterval(() => this.#counters.forEach(count => count()), 1000);
  }

  drawRequest() {
    const [number, service, terminal, requester, seconds] = this.request, { store } = this.phone;
    const allow = async pin => {
      const secret = await store.deviceSecret(this.row.id);
      if (!secret) return announce(say("f.noDeviceSecret", this.digits));
      this.tap("allow", number, pin, secret);
      pin.fill(0);
      secret.fill(0);
    };
    // The user types a site's password: a page stores none.
    const password = this.row.isOfSite && field("store.password", { type: "password" });
    const typed = () => {
      const given = password ? secret(password.input, false) : pad.take();
      if (!given) return announce(say(password ? "store.bounds" : "pin.bounds"));
      if (!password) return allow(given);
      this.tap("allowWithPassword", number, given);
      given.fill(0);
    };
    // For a try that may be the last, the user types the PIN.
    const mayTouch = () => store.guard.hasPIN(this.row.id) && this.state !== null && this.state.pinAttemptsLeft !== 1;
    const touched = () => !mayTouch() ? this.drawRequest() : this.opened(async () => {
      const pin = await store.guard.pin(this.row.id);
      this.settle = await store.guard.doubtPIN(this.row.id);
      await allow(pin);
    });
    const isLast = this.state?.pinAttemptsLeft === 1, byTouch = mayTouch(), pad = pinPad("pin.label", typed), mustAsk = this.doubt && !this.isAsked;
    screen(say("q.title", this.digits), this.note, make("section", { class: "card" },
      paragraph("q.what", text(service), text(requester), text(terminal)), paragraph("q.time", String(seconds)), paragraph("q.care")),
    isLast ? make("p", { class: "bad" }, say("pin.last")) : [], password ? password.node : mustAsk ? [] : byTouch ? paragraph("q.passkey") : [pad.node, pad.keys],
    make("div", { class: "row" }, button("main", mustAsk ? () => this.askAgain() : byTouch ? touched : typed, "q.allow"), button("risk", () => this.tap("decline", number), "q.decline")));
  }
}
