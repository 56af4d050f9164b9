// Seals the phone's data with a key that WebCrypto does not export, and before that with the passkey's key, if any.

import { hex } from "./release.js";

const CIPHER = "AES-GCM", IV_BYTES = 12;

const settings = (iv, id, name) => ({ name: CIPHER, iv, additionalData: new TextEncoder().encode(name + hex(id)) });
const freshIV = () => crypto.getRandomValues(new Uint8Array(IV_BYTES));

export class Sealing {
  #browser; #passkey = null;

  constructor(browser) { this.#browser = browser; }

  static newKey() { return crypto.subtle.generateKey({ name: CIPHER, length: 256 }, false, ["encrypt", "decrypt"]); }

  get isOpen() { return this.#passkey !== null; }

  // `root`: the passkey's key, for HKDF only (passkey.js). It stays until `close`.
  open(root) { this.#passkey = root; }
  close() { this.#passkey = null; }

  // Each box has its own key (RFC 5869: `info`).
  #keyOf(id) {
    if (!this.#passkey) throw new DOMException("the passkey was not given", "NotAllowedError");
    const info = new TextEncoder().encode("boxphone seal 1 " + hex(id));
    return crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info }, this.#passkey,
      { name: CIPHER, length: 256 }, false, ["encrypt", "decrypt"]);
  }

  async seal(id, name, secret, isGuarded) {
    const iv = freshIV(), guard = isGuarded ? freshIV() : null;
    const inner = guard ? await crypto.subtle.encrypt(settings(guard, id, name), await this.#keyOf(id), secret) : secret;
    const bytes = new Uint8Array(await crypto.subtle.encrypt(settings(iv, id, name), this.#browser, inner));
    return guard ? { iv, bytes, guard } : { iv, bytes };
  }

  async unseal(id, name, sealed) {
    if (!sealed) return null;
    const inner = await crypto.subtle.decrypt(settings(sealed.iv, id, name), this.#browser, sealed.bytes);
    if (!sealed.guard) return new Uint8Array(inner);
    return new Uint8Array(await crypto.subtle.decrypt(settings(sealed.guard, id, name), await this.#keyOf(id), inner));
  }
}
