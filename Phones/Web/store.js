// The phone's data in IndexedDB. A row's secrets are sealed (sealing.js). Every change is on disk before its answer.

import { Guard } from "./guard.js";
import { hex } from "./release.js";
import { Sealing } from "./sealing.js";
import { box } from "./named.js";
import { changed, isOfSite, siteRow, waiting } from "./site-store.js";

const request = asked => new Promise((resolve, reject) => {
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});

export class Store {
  #database; #sealing; #order = Promise.resolve();

  static async open() {
    const opening = indexedDB.open("boxphone", 1);
    opening.onupgradeneeded = () => ["keys", "boxes", "notes"].forEach(name => opening.result.createObjectStore(name));
    const store = new Store();
    store.#database = await request(opening);
    let key = await store.#read("keys", "seal");
    if (!key) {
      key = await Sealing.newKey();
      await store.write(stores => stores("keys").put(key, "seal"));
    }
    store.#sealing = new Sealing(key);
    store.guard = new Guard(store, store.#sealing, await store.#read("keys", "passkey") ?? null);
    return store;
  }

  #read(name, key) {
    return request(this.#database.transaction(name).objectStore(name).get(key));
  }

  write(change) {
    return new Promise((resolve, reject) => {
      const work = this.#database.transaction(["keys", "boxes", "notes"], "readwrite", { durability: "strict" });
      work.oncomplete = () => resolve();
      work.onabort = () => reject(work.error);
      change(name => work.objectStore(name));
    });
  }

  // Runs changes one after the other.
  inOrder(work) {
    const done = this.#order.then(work);
    this.#order = done.catch(() => {});
    return done;
  }

  all() { return request(this.#database.transaction("boxes").objectStore("boxes").getAll()); }

  kept(id) { return this.#read("boxes", hex(id)); }

  // Changes the page's own fields of a box.
  change(id, values) {
    return this.inOrder(async () => {
      const kept = await this.kept(id);
      if (kept) await this.#save(hex(id), { ...kept, ...values });
    });
  }

  #seal(id, name, secret) { return this.#sealing.seal(id, name, secret, this.guard.isOn); }

  // The core's rows: docs/reference/phone-core.md.
  async rows() {
    const all = await this.all();
    all.forEach(kept => this.guard.note(kept));
    return all.filter(kept => !kept.isSite).map(row);
  }

  // Sites with a grant.
  async sites() { return (await this.all()).filter(isOfSite); }

  async siteRow(id) { return siteRow(await this.kept(id)); }
  async siteRows() { return (await this.sites()).map(siteRow); }

  // With the last row, the passkey goes, too.
  async forget(id) {
    const [last, ...others] = await this.all();
    if (last && !others.length && hex(last.id) === hex(id)) return this.guard.forgetAll();
    return this.perform("forget", id, []);
  }

  async deviceSecret(id) {
    return this.#sealing.unseal(id, "secret", (await this.kept(id))?.secret);
  }

  // The page's notes for after a reload, never a secret.
  note(name) { return this.#read("notes", name); }
  setNote(name, value) {
    if (value === null) return this.write(stores => stores("notes").delete(name)).catch(() => {});
    return this.write(stores => stores("notes").put(value, name));
  }

  perform(command, id, values) {
    return this.inOrder(() => this.#do(command, id, values)).catch(error =>
      error?.name === "QuotaExceededError" ? ["failed", "full"] : ["failed", "unusable", String(error?.name)]);
  }

  async #do(command, id, values) {
    const key = hex(id), kept = await this.#read("boxes", key), save = changed => this.#save(key, changed);
    switch (command) {
      case "add": return save(await this.#added(id, values));
      case "box": return ["box", kept ? row(kept) : null];
      case "forget":
        await this.write(stores => stores("boxes").delete(key));
        return ["done"];
      case "openCredential": return ["credential", "noCredential", null];
      case "siteKey": return this.#siteKey(id, values[0]);
    }
    if (!kept) return ["failed", "notFound"];
    switch (command) {
      case "deviceKey": return ["secret", await this.#sealing.unseal(id, "key", kept.key)];
      case "deviceSecret": return ["secret", await this.#sealing.unseal(id, "secret", kept.secret)];
      case "setDeviceSecret":
        await save({ ...kept, secret: await this.#seal(id, "secret", values[0]) });
        return ["secret", values[0]];
      case "destroyDeviceSecret":
        await save({ ...kept, secret: null, ...(kept.pin ? { pin: null } : {}) });
        return ["done"];
      case "passwordHistory": return [command, kept.refused ?? null, kept.unknown ?? 0];
      case "notePassword":
        await save({ ...kept, ...noted(kept, values[0]) });
        return ["done"];
      case "raiseSerial": return values[0] > kept.serial ? save({ ...kept, serial: values[0], digits: values[1] }) : ["box", row(kept)];
      case "setLabel": return save({ ...kept, label: values[0] });
      case "confirm": return this.#confirm(key, { ...kept, user: values[0], mode: values[1], confirmed: true });
    }
    const site = kept.isSite ? changed(kept, command, values) : null;
    if (!site) return ["failed", "unusable", command];
    await this.write(stores => stores("boxes").put(site, key));
    return ["done"];
  }

  // One key waits for a site, so that a second try learns the first one's outcome.
  async #siteKey(id, fresh) {
    const kept = (await this.all()).find(each => each.isSite && !each.document);
    if (kept) return ["siteKey", kept.id, await this.#sealing.unseal(kept.id, "key", kept.key)];
    const made = waiting(id, await this.#seal(id, "key", fresh));
    await this.write(stores => stores("boxes").put(made, hex(id)));
    return ["siteKey", id, fresh.slice()];
  }

  async #added(id, [digits, boxKey, authority, serial, user, label, key, secret]) {
    return { id, digits, boxKey, authority, serial, user, label, mode: "phoneHeld", confirmed: false,
      key: await this.#seal(id, "key", key), secret: await this.#seal(id, "secret", secret) };
  }

  async #save(key, changed) {
    await this.write(stores => stores("boxes").put(changed, key));
    this.guard.note(changed);
    return ["box", row(changed)];
  }

  async #confirm(key, changed) {
    const all = await this.all();
    await this.write(stores => {
      for (const other of all) if (!other.isSite && hex(other.boxKey) === hex(changed.boxKey)) stores("boxes").delete(hex(other.id));
      stores("boxes").put(changed, key);
    });
    return ["box", row(changed)];
  }
}

// The fields after the core's note: sent, sent after a yes, not judged, accepted, refused.
const noted = ({ unknown = 0 }, note) => [{ unknown: unknown + 1 }, { unknown: 1 }, { unknown: Math.max(unknown - 1, 0) },
  { unknown: 0, refused: null }, { unknown: 0, refused: Math.floor(Date.now() / 1000) }][note];

const row = kept => box([kept.id, kept.digits, kept.boxKey, kept.authority, kept.serial, kept.user, kept.label, kept.mode,
  kept.confirmed, false, kept.secret !== null]);
