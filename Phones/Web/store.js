// What this phone keeps, in IndexedDB. Secrets of a row are sealed by a key that WebCrypto does not hand out; every change is on
// the disk before it is answered.

import { hex } from "./release.js";

const request = asked => new Promise((resolve, reject) => {
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});

export class Store {
  #database; #key; #order = Promise.resolve();

  static async open() {
    const opening = indexedDB.open("boxphone", 1);
    opening.onupgradeneeded = () => ["keys", "boxes", "notes"].forEach(name => opening.result.createObjectStore(name));
    const store = new Store();
    store.#database = await request(opening);
    store.#key = await store.#read("keys", "seal");
    if (!store.#key) {
      store.#key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
      await store.#write(boxes => boxes("keys").put(store.#key, "seal"));
    }
    return store;
  }

  #read(name, key) {
    return request(this.#database.transaction(name).objectStore(name).get(key));
  }

  #write(change) {
    return new Promise((resolve, reject) => {
      const work = this.#database.transaction(["keys", "boxes", "notes"], "readwrite", { durability: "strict" });
      work.oncomplete = () => resolve();
      work.onabort = () => reject(work.error);
      change(name => work.objectStore(name));
    });
  }

  #sealing = (iv, id, name) => ({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(name + hex(id)) });

  async #seal(id, name, secret) {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    return { iv, bytes: new Uint8Array(await crypto.subtle.encrypt(this.#sealing(iv, id, name), this.#key, secret)) };
  }

  async #unseal(id, name, sealed) {
    if (!sealed) return null;
    return new Uint8Array(await crypto.subtle.decrypt(this.#sealing(sealed.iv, id, name), this.#key, sealed.bytes));
  }

  // The core's rows: docs/phone-core.md.
  async rows() {
    const all = await request(this.#database.transaction("boxes").objectStore("boxes").getAll());
    return all.map(row);
  }

  async deviceSecret(id) {
    const kept = await this.#read("boxes", hex(id));
    return kept ? this.#unseal(id, "secret", kept.secret) : null;
  }

  // What the page itself must still know after a reload: never a secret.
  note(name) { return this.#read("notes", name); }
  setNote(name, value) {
    return this.#write(stores => value === null ? stores("notes").delete(name) : stores("notes").put(value, name));
  }

  // One command after the other, as a whole each.
  perform(command, id, values) {
    return this.#order = this.#order.then(() => this.#do(command, id, values)).catch(error =>
      error?.name === "QuotaExceededError" ? ["failed", "full"] : ["failed", "unusable", String(error?.name)]);
  }

  async #do(command, id, values) {
    const key = hex(id), kept = await this.#read("boxes", key), save = changed => this.#save(key, changed);
    switch (command) {
      case "add": return save(await this.#added(id, values));
      case "box": return ["box", kept ? row(kept) : null];
      case "forget":
        await this.#write(stores => stores("boxes").delete(key));
        return ["done"];
      case "openCredential": return ["credential", "noCredential", null];
    }
    if (!kept) return ["failed", "notFound"];
    switch (command) {
      case "deviceKey": return ["secret", await this.#unseal(id, "key", kept.key)];
      case "deviceSecret": return ["secret", await this.#unseal(id, "secret", kept.secret)];
      case "setDeviceSecret":
        await save({ ...kept, secret: await this.#seal(id, "secret", values[0]) });
        return ["secret", values[0]];
      case "destroyDeviceSecret":
        await save({ ...kept, secret: null });
        return ["done"];
      case "raiseSerial": return values[0] > kept.serial ? save({ ...kept, serial: values[0], digits: values[1] }) : ["box", row(kept)];
      case "setLabel": return save({ ...kept, label: values[0] });
      case "confirm": return this.#confirm(key, { ...kept, user: values[0], mode: values[1], confirmed: true });
    }
    return ["failed", "unusable", command];
  }

  async #added(id, [digits, boxKey, authority, serial, user, label, key, secret]) {
    return { id, digits, boxKey, authority, serial, user, label, mode: "phoneHeld", confirmed: false,
      key: await this.#seal(id, "key", key), secret: await this.#seal(id, "secret", secret) };
  }

  async #save(key, changed) {
    await this.#write(stores => stores("boxes").put(changed, key));
    return ["box", row(changed)];
  }

  async #confirm(key, changed) {
    const all = await request(this.#database.transaction("boxes").objectStore("boxes").getAll());
    await this.#write(stores => {
      for (const other of all) if (hex(other.boxKey) === hex(changed.boxKey)) stores("boxes").delete(hex(other.id));
      stores("boxes").put(changed, key);
    });
    return ["box", row(changed)];
  }
}

const row = kept => [kept.id, kept.digits, kept.boxKey, kept.authority, kept.serial, kept.user, kept.label, kept.mode,
  kept.confirmed, false, kept.secret !== null];
