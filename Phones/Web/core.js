// A module worker with one core for one operation (docs/reference/phone-core.md). WebAssembly's memory never shrinks
// and a trap ruins it, so the page ends the worker afterwards.

// Elevation, warnings, ends of sessions, browser; no presence (docs/reference/protocol.md section 8).
const CAPABILITIES = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6;

let core, handle = 0;

const imports = { env: { random_bytes: (place, count) =>
  crypto.getRandomValues(new Uint8Array(core.memory.buffer, place >>> 0, count)) } };

function instantiate(module) {
  core = new WebAssembly.Instance(module, imports).exports;
  if (core.boxphone_version() !== 1) throw new Error("another core");
  core.boxphone_capabilities(CAPABILITIES);
}

function put(bytes) {
  if (bytes.length > core.boxphone_capacity()) throw new RangeError("too long for the core");
  new Uint8Array(core.memory.buffer, core.boxphone_buffer() >>> 0, bytes.length).set(bytes);
  bytes.fill(0);
  return bytes.length;
}

function actions() {
  const all = [];
  for (let count; (count = core.boxphone_action(handle)) > 0;)
    all.push(new Uint8Array(core.memory.buffer, core.boxphone_buffer() >>> 0, count).slice());
  return all;
}

onmessage = ({ data: { module, call, bytes, now } }) => {
  if (module) return instantiate(module);
  const time = BigInt(Math.floor(now)), count = put(bytes);
  const code = call === "start" ? core.boxphone_start(count, time) : core.boxphone_event(handle, count, time);
  if (code < 0) return postMessage({ error: code });
  if (call === "start") handle = code;
  const all = actions();
  postMessage({ actions: all, deadline: Number(core.boxphone_deadline(handle)) }, all.map(each => each.buffer));
};
