// Starts the page. Has the screens for the list, settings and about.

import { takeTurn } from "./lock.js";
import { Radio } from "./radio.js";
import { prepare, script } from "./release.js";
import { Store } from "./store.js";
import { LANGUAGES, choose, language, load, plain, say, text } from "./texts.js";
import { button, make, paragraph, screen } from "./ui.js";
import { autoLogout } from "./autologout.js";
import { enrol } from "./enrol.js";
import { passkeyCard, setUpFirst } from "./passkey-setup.js";
import { changePIN, logIn, storePassword } from "./login.js";
import { session } from "./session.js";
import { siteCard, siteSettings } from "./site.js";
import { ask, Phone, rowDigits } from "./phone.js";

let phone;

// Removes a code from the address before anything else reads or stores it.
function takeCode() {
  const code = location.hash.slice(1);
  if (code) history.replaceState(null, "", location.pathname);
  return /^box(link|site-enrol):/.test(code) ? code : "";
}

const begin = code => setUpFirst(phone, () => enrol(phone, code));
const add = kind => button(kind, () => begin(), "home.add");

async function home() {
  phone.store.guard.close();
  const rows = await phone.store.rows();
  const cards = [...(await phone.store.sites()).map(kept => siteCard(phone, kept, rows.map(rowDigits))), ...rows.map(row => row.confirmed ? card(row) : unfinished(row))];
  screen(say(cards.length ? "home.title" : "home.none"), cards.length ? cards : [paragraph("home.none.do"), add("main"), paragraph("home.none.lost")],
    make("nav", {}, cards.length ? add("") : [], button("", settings, "home.settings"), button("", about, "home.about")));
}

function card(row) {
  return make("section", { class: "card" }, make("p", { class: "soft" }, say("home.user", text(row.user))),
    row.hasDeviceSecret ? button("main", () => logIn(phone, row), "login.button", rowDigits(row))
      : button("main", () => storePassword(phone, row), "store.button", rowDigits(row)),
    button("", () => session(phone, row), "session.button"));
}

// An enrolment's answer was lost: only the box knows it.
function unfinished(row) {
  return make("section", { class: "card" }, paragraph("home.unfinished", rowDigits(row)),
    button("main", async () => { await ask(phone, row, ["status", [row]]); }, "home.askBox", rowDigits(row)),
    button("risk", () => forget(row), "forget.button", rowDigits(row)));
}

async function settings() {
  const rows = await phone.store.rows(), sites = await phone.store.sites();
  const pick = make("select", { "aria-label": plain("settings.language") },
    Object.entries(LANGUAGES).map(([code, name]) => make("option", { value: code, selected: code === language() }, name)));
  pick.addEventListener("change", async () => { await choose(pick.value); await settings(); document.querySelector("select").focus(); });
  screen(say("settings.title"), sites.map(kept => siteSettings(phone, kept, settings)),
    rows.map(row => make("section", { class: "card" }, make("h2", {}, say("settings.box", rowDigits(row), text(row.user))),
      row.confirmed && row.hasDeviceSecret ? button("", () => changePIN(phone, row), "pin.change") : [],
      row.confirmed ? button("", () => storePassword(phone, row), "store.again") : [],
      row.confirmed ? button("", () => autoLogout(phone, row), "away.button") : [],
      phone.store.guard.wantsPIN(row.id) ? button("", async () => { await phone.store.guard.keepPIN(row.id, null); settings(); }, "pass.dropPIN") : [],
      button("risk", () => forget(row), "forget.button", rowDigits(row)))),
    passkeyCard(phone, settings), make("h2", {}, say("settings.language")), pick, make("nav", {}, button("", home, "back")));
}

function forget(row) {
  screen(say("forget.title", rowDigits(row)), paragraph("forget.text"),
    button("risk", async () => {
      await phone.store.forget(row.id);
      phone.radio.letGo(rowDigits(row));
      home();
    },
      "forget.button", rowDigits(row)),
    make("nav", {}, button("", settings, "back")));
}

function about() {
  screen(say("about.title"), ["about.what", phone.store.guard.isOn ? "about.keeps.passkey" : "about.keeps", "about.host",
    phone.store.guard.isOn ? "about.unlock.passkey" : "about.unlock", "about.away"].map(key => paragraph(key)),
    make("nav", {}, button("", home, "back")));
}

// A login was under way when the page closed. Never resend it.
async function afterInterruption(code) {
  const left = await phone.store.note("underWay"), next = () => code ? begin(code) : home();
  if (!left) return next();
  screen(say("unknown.title"), make("p", { class: "bad" }, say("unknown", left)),
    button("main", async () => { await phone.store.setNote("underWay", null); next(); }, "understood"));
}

const refused = key => screen(say("cannot.title"), make("p", { class: "bad" }, say(key)), paragraph("cannot.password"));

async function start() {
  const code = takeCode();
  await load();
  document.addEventListener("visibilitychange", () => document.body.classList.toggle("hidden", document.hidden));
  if (!isSecureContext) return refused("cannot.https");
  if (!navigator.bluetooth) return refused("cannot.bluetooth");
  await takeTurn(() => screen(say("elsewhere.title"), paragraph("elsewhere.text")));
  try {
    phone = new Phone(new Radio(), await Store.open(), home);
  } catch {
    return refused("cannot.store");
  }
  prepare().catch(() => {});
  navigator.serviceWorker?.register(script("sw.js")).catch(() => {});
  // A camera app may open the address in this tab; only the fragment changes.
  addEventListener("hashchange", () => {
    const another = takeCode();
    if (another && !phone.isRunning) begin(another);
  });
  await afterInterruption(code);
}

start();
