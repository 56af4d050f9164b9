// Enrols this phone at a box: code, six digits on both sides, password and PIN.

import { failure, outcome } from "./sentences.js";
import { plain, say } from "./texts.js";
import { announce, button, field, make, paragraph, screen } from "./ui.js";
import { compare, message, waiting } from "./phone.js";
import { SITE_CODE, join } from "./site.js";
import { storePassword } from "./login.js";

const PLACE = { key: [32, 64], digits: [104, 110] };
const CODE = /^\s*boxlink:2\/([A-Z2-7]+)\s*$/;

// Reads only the box's digits and key, to find the box and an earlier try. The core checks codes.
function read(code) {
  const bytes = [];
  let bits = 0, value = 0;
  for (const letter of CODE.exec(code)?.[1] ?? "") {
    value = (value << 5 | "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits >= 8) bytes.push(value >> (bits -= 8) & 255);
  }
  const digits = String.fromCharCode(...bytes.slice(...PLACE.digits).filter(byte => byte));
  return /^\d{4,6}$/.test(digits) ? { digits, key: bytes.slice(...PLACE.key).join() } : null;
}

export function enrol(phone, kept = "") {
  const code = field("enrol.code", { autocapitalize: "characters" }, "textarea"), label = field("enrol.label", { maxlength: 30 });
  code.input.value = kept;
  label.input.value = plain("enrol.label.value");
  const submit = async () => {
    const found = read(code.input.value), bytes = new TextEncoder().encode(code.input.value.trim());
    const name = new TextEncoder().encode(label.input.value.replace(/\p{Cc}/gu, "")).slice(0, 64);
    if (SITE_CODE.test(code.input.value)) return join(phone, bytes, name, () => enrol(phone));
    if (!found) return announce(say("enrol.noCode"));
    const why = await phone.choose(found.digits);
    if (why) return message(phone, why.title, "bad", why.nodes, button("main", () => enrol(phone, code.input.value), "again"));
    await begin(phone, bytes, found, name);
  };
  screen(say("enrol.title"), paragraph("enrol.text"), code.node, "BarcodeDetector" in globalThis ? button("", () => camera(phone), "enrol.camera") : [],
    label.node, button("main", submit, "enrol.button"), paragraph("enrol.pair"), make("nav", {}, button("", phone.home, "back")));
  code.input.focus();
}

async function begin(phone, code, { digits, key }, label) {
  navigator.storage?.persist?.();
  const waits = (await phone.store.rows()).find(row => !row.confirmed && row.boxKey.join() === key) ?? null;
  waiting(phone, say("enrol.wait", digits));
  const end = await phone.run(["enrol", code, label, waits], { show: compare(phone) });
  code.fill(0);
  if (end.kind === "failed") return message(phone, say("enrol.failed"), "bad", failure(end.value), button("main", () => enrol(phone), "enrol.again"));
  if (end.kind !== "enrolled") return message(phone, say("enrol.failed"), "bad", outcome(end.value, digits));
  if (end.value.mode !== "boxHeld") {
    await phone.store.perform("forget", end.value.id, []);
    return message(phone, say("enrol.failed"), "bad", say("enrol.phoneHeld", digits));
  }
  storePassword(phone, end.value);
}

async function camera(phone) {
  const video = make("video", { playsinline: true, muted: true });
  let stream, isOver = false;
  const stop = () => { isOver = true; stream?.getTracks().forEach(track => track.stop()); };
  screen(say("enrol.camera"), video, make("nav", {}, button("", () => { stop(); enrol(phone); }, "back")));
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    if (isOver) return stop();
    video.srcObject = stream;
    await video.play();
    const detector = new BarcodeDetector({ formats: ["qr_code"] });
    while (!isOver) {
      const [found] = await detector.detect(video);
      if (found && (read(found.rawValue) || SITE_CODE.test(found.rawValue))) { stop(); return enrol(phone, found.rawValue); }
      await new Promise(resolve => requestAnimationFrame(resolve));
    }
  } catch {
    if (isOver) return;
    stop();
    enrol(phone);
    announce(say("enrol.noCamera"));
  }
}
