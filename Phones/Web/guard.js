// This phone's passkey. If set up, it protects all boxes' secrets.

import { confirm, discard, give } from "./passkey.js";
import { hex } from "./release.js";

const NOBODY = new Uint8Array(16), PIN_BYTES = 129;

// Pads to one length, so that the sealed text hides the PIN's length.
function padded(pin) {
  const bytes = new Uint8Array(PIN_BYTES);
  bytes[0] = pin.length;
  bytes.set(pin, 1);
  return bytes;
}

export class Guard {
  #store; #sealing; #record = null; #pins = new Map();

  constructor(store, sealing, record) {
    this.#store = store;
    this.#sealing = sealing;
    this.#record = record;
  }

  get isOn() { return this.#record !== null; }
  get isOpen() { return this.#sealing.isOpen; }

  close() { this.#sealing.close(); }

  // Asks for the passkey. Returns false if it is not that of the setup.
  async open() {
    const root = await give(this.#record);
    this.#sealing.open(root);
    try {
      await this.#sealing.unseal(NOBODY, "proof", this.#record.proof);
      return true;
    } catch {
      this.close();
      return false;
    }
  }

  // Confirms a new passkey's value, then seals everything with it.
  async setUp(made) {
    this.#sealing.open(await confirm(made));
    try {
      const proof = await this.#sealing.seal(NOBODY, "proof", new Uint8Array(32), true);
      await this.#reseal({ ...made.record, proof });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  // The passkey must be open if there are secrets.
  async remove() {
    const old = this.#record;
    await this.#reseal(null);
    this.close();
    discard(old);
  }

  #reseal(record) {
    return this.#store.inOrder(async () => {
      const all = await this.#store.all(), changed = [];
      for (const { pin, pinInDoubt, ...kept } of all)
        changed.push({ ...kept, key: await this.#again(kept, "key", record), secret: await this.#again(kept, "secret", record) });
      await this.#store.write(stores => {
        changed.forEach(kept => stores("boxes").put(kept, hex(kept.id)));
        if (record) stores("keys").put(record, "passkey");
        else stores("keys").delete("passkey");
      });
      this.#record = record;
      this.#pins.clear();
    });
  }

  async #again(kept, name, record) {
    const secret = await this.#sealing.unseal(kept.id, name, kept[name]);
    if (!secret) return null;
    const sealed = await this.#sealing.seal(kept.id, name, secret, record !== null);
    secret.fill(0);
    return sealed;
  }

  // Destroys all rows and the passkey's record.
  async forgetAll() {
    const old = this.#record;
    await this.#store.inOrder(() => this.#store.write(stores => {
      stores("boxes").clear();
      stores("keys").delete("passkey");
    }));
    this.#record = null;
    this.#pins.clear();
    this.close();
    if (old) discard(old);
  }

  // A PIN is in doubt, and not sent again, from just before it is sent until the box accepts it.
  note({ id, pin, pinInDoubt }) {
    if (pin) this.#pins.set(hex(id), !pinInDoubt);
    else this.#pins.delete(hex(id));
  }

  wantsPIN(id) { return this.#pins.has(hex(id)); }
  hasPIN(id) { return this.#pins.get(hex(id)) === true; }

  async pin(id) {
    const bytes = await this.#sealing.unseal(id, "pin", (await this.#store.kept(id))?.pin);
    if (!bytes) return null;
    const pin = bytes.slice(1, 1 + bytes[0]);
    bytes.fill(0);
    return pin;
  }

  async sealPIN(id, pin) {
    const bytes = padded(pin), sealed = await this.#sealing.seal(id, "pin", bytes, true);
    bytes.fill(0);
    return sealed;
  }

  keepPIN(id, sealed) { return this.#store.change(id, { pin: sealed, pinInDoubt: false }); }

  // Puts a kept PIN, if any, in doubt. Returns a function that undoes this.
  async doubtPIN(id) {
    if (!this.hasPIN(id)) return () => {};
    await this.#store.change(id, { pinInDoubt: true });
    return () => this.#store.change(id, { pinInDoubt: false });
  }
}
