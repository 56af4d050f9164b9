// The user sets how long the session lasts without the phone, within the box's bounds.

import { failure } from "./sentences.js";
import { span } from "./span.js";
import { plain, say } from "./texts.js";
import { button, make, paragraph, screen } from "./ui.js";
import { ask, message, notFound, rowDigits, waiting } from "./phone.js";
import { session } from "./session.js";

const OFFERED = [30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];

// `state`: the box's last state, if known (docs/reference/phone-core.md).
export async function autoLogout(phone, row, state = null) {
  const digits = rowDigits(row);
  if (!state) {
    const why = await phone.choose(digits);
    if (why) return notFound(phone, row, why, () => autoLogout(phone, row));
    waiting(phone, say("wait.title", digits));
    const end = await phone.run(["status", [row]], {});
    if (end.kind === "failed") return message(phone, say("failed.title"), "bad", failure(end.value));
    state = end.state;
  }
  const { seconds: chosen, minimumSeconds: least, maximumSeconds: most, mayBeOff } = state;
  const times = [...new Set([least, most, chosen, ...OFFERED])].filter(time => time >= least && time <= most).sort((a, b) => a - b);
  const name = time => time === 0 ? plain("away.off") : span(time);
  const offered = [...(mayBeOff ? [0] : []), ...times];
  const pick = make("select", { id: "away" },
    offered.includes(chosen) ? [] : make("option", { value: "", selected: true, disabled: true }, plain("away.none")),
    offered.map(time => make("option", { value: time, selected: time === chosen }, name(time))));
  const submit = () => {
    if (!pick.value) return pick.focus();
    const time = Number(pick.value);
    return ask(phone, row, ["setAutoLogout", [row], time], { done: kept => message(phone, say("done.title"), "good",
      time === 0 ? say("away.isOff", digits) : say("away.is", digits, span(time)), button("", () => session(phone, kept), "session.button")) });
  };
  screen(say("away.title", digits), paragraph("away.text"),
    make("div", { class: "field" }, make("label", { for: "away" }, say("away.label")), pick),
    make("p", { class: "soft" }, mayBeOff ? say("away.boundsOrOff", span(least), span(most)) : say("away.bounds", span(least), span(most))),
    button("main", submit, "away.save"), make("nav", {}, button("", phone.home, "toBoxes")));
  pick.focus();
}
