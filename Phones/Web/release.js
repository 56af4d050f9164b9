// This release's hashes from Scripts/web, and the core, which is checked by its hash before it starts.

import { WASM_SHA256 } from "./hashes.js";

const SCRIPTS = ["core.js", "sw.js"];
const policy = globalThis.trustedTypes?.createPolicy("boxphone", { createScriptURL: name => {
  if (!SCRIPTS.includes(name)) throw new TypeError("not a script of this page");
  return name;
} });
export const script = name => policy ? policy.createScriptURL(name) : name;

let loading;

async function load() {
  const answer = await fetch("boxphone.wasm"), bytes = await answer.arrayBuffer();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  if (!answer.ok || hex(hash) !== WASM_SHA256) throw new Error("another core");
  return WebAssembly.compile(bytes);
}

export const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");

// Loads early, because a click must not wait.
export const prepare = () => loading ??= load().catch(error => { loading = null; throw error; });

export async function coreWorker() {
  const module = await prepare(), worker = new Worker(script("core.js"), { type: "module" });
  worker.postMessage({ module });
  return worker;
}
