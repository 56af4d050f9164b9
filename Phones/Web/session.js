// What a box tells while the page is open: the session, its end, requests to elevate. Each act is a tap of the person.

import { failure, outcome } from "./sentences.js";
import { say, text } from "./texts.js";
import { announce, button, make, paragraph, pinPad, screen } from "./ui.js";
import { message, notFound, progress, rowDigits, waiting } from "./phone.js";
import { logIn } from "./login.js";

export async function session(phone, row, justNow = false) {
  const digits = rowDigits(row), why = await phone.choose(digits);
  if (why) return notFound(phone, row, why, () => session(phone, row));
  waiting(phone, justNow ? say("o.login", digits) : say("wait.title", digits));
  const view = new View(phone, row, justNow);
  const end = await phone.run(["watch", [row]], { show: progress, watched: (word, ...rest) => view.hear(word, ...rest) });
  if (end[0] === "failed") return message(phone, say("failed.title"), "bad", failure(end[1]));
  view.next();
}

class View {
  state = null; warning = null; request = null; note = [];

  constructor(phone, row, justNow) {
    this.phone = phone;
    this.row = row;
    this.digits = rowDigits(row);
    this.next = phone.home;
    if (justNow) this.note = make("p", { class: "good", role: "status" }, say("o.login", this.digits));
  }

  hear(word, first, second) {
    switch (word) {
      case "state": this.state = first; break;
      case "warning": this.warning = first; break;
      case "elevation": this.request = first; break;
      case "sessionEnded": this.tell("good", say("e." + first)); break;
      case "accountProblem": this.tell("bad", say("a." + first, this.digits)); break;
      case "acted": this.told(second, "s.done." + first); break;
      case "answered": this.told(second, first ? "s.allowed" : "s.declined"); break;
      case "lost": return announce(failure(first), " ", say("s.again"));
      default: return;
    }
    // What is being typed stays.
    if (!this.request || word === "elevation" || word === "answered") this.draw();
  }

  tell(kind, nodes) { this.note = make("p", { class: kind, role: "alert" }, nodes); }

  told(result, key) {
    if (result[0] === "done") this.tell("good", say(key));
    else this.tell("bad", outcome(result, this.digits));
  }

  tap(...words) {
    this.phone.errand.tell("tap", ...words);
    announce(say("s.asked"));
  }

  leave(next) {
    this.next = next;
    this.phone.errand.tell("stop");
  }

  draw() {
    if (this.request) return this.drawRequest();
    if (!this.state) return;
    const [kind, user, , , , , left] = this.state, act = (word, risk = "") => button(risk, () => this.tap(word), "s." + word);
    const acts = kind === 0 ? [button("main", () => this.leave(() => logIn(this.phone, this.row)), "login.button", this.digits)]
      : kind === 1 ? [make("div", { class: "row" }, act("lock"), act("logout", "risk"))]
        : [act("unlock", "main"), make("p", { class: "soft" }, say("s.unlock.note")), act("logout", "risk")];
    const warned = this.warning && make("section", { class: "card" },
      make("p", { class: "bad", role: "alert" }, say("w." + this.warning[1], String(this.warning[0]))),
      this.warning[2] ? act("extend", "main") : []);
    screen(say("s.title", this.digits), this.note, make("section", { class: "card" },
      make("p", {}, say("s.state." + kind, user ? text(user) : "")),
      left === null ? [] : make("p", { class: "soft" }, say("s.left", String(left)))), warned || [], acts,
      make("nav", {}, button("", () => this.leave(this.phone.home), "toBoxes")));
  }

  drawRequest() {
    const [number, service, terminal, requester, seconds] = this.request;
    const allow = async () => {
      const pin = pad.take();
      if (!pin) return announce(say("pin.bounds"));
      const secret = await this.phone.store.deviceSecret(this.row[0]);
      if (!secret) return announce(say("f.noDeviceSecret", this.digits));
      this.tap("allow", number, pin, secret);
      pin.fill(0);
      secret.fill(0);
    };
    const pad = pinPad("pin.label", allow);
    screen(say("q.title", this.digits), this.note, make("section", { class: "card" },
      paragraph("q.what", text(service), text(requester), text(terminal)), paragraph("q.time", String(seconds)), paragraph("q.care")),
    this.state?.[8] === 1 ? make("p", { class: "bad" }, say("pin.last")) : [], pad.node, pad.keys,
    make("div", { class: "row" }, button("main", allow, "q.allow"), button("risk", () => this.tap("decline", number), "q.decline")));
  }
}
