// Web Bluetooth for the core (docs/reference/protocol.md, section 2). Decides nothing.

const SERVICE = "bf52e2d6-ff52-43cb-99a0-872fa3dde94f", IDENTITY = "f438775d-e605-42b8-abe7-6e31ed52ea87",
  TRANSFER = "a82ae020-e171-42f8-a31c-5f612926f041";
// No browser reports the ATT_MTU. Longer values are refused or silently cut.
const LEAST_VALUE = 20, LONGEST_VALUE = 244, TAG = 2, LONGEST_RECEIVED = 512;
const FAREWELL_MS = 100, SETTLING_MS = 300, PATIENCE_MS = 1000,
  ATTEMPT_MS = 2500;
// bluetoothd (src/device.c, DISCONNECT_TIMER) keeps a closed connection for 2 s. Connecting then yields the old
// connection, which accepts no subscription and ends.
const LINGERING_MS = 2300;
const BINDING = Uint8Array.of(1, 0, 0);

const bytesOf = view => new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

export class Radio {
  #device = null;
  #link = null;
  #ending = Promise.resolve();
  #settling = SETTLING_MS;
  #ended = -Infinity;
  #known = new Map();

  // Asks for the box; call this first in a click. Does not ask again for a box chosen on this page.
  async choose(digits, anyName = false) {
    if (anyName || !this.#known.has(digits)) {
      const filter = { services: [SERVICE], ...(anyName ? {} : { name: "Box " + digits }) };
      const device = await navigator.bluetooth.requestDevice({ filters: [filter] });
      const known = { device, value: LEAST_VALUE }, shown = /^Box (\d{4,6})$/.exec(device.name)?.[1];
      this.#known.set(digits, known);
      if (shown) this.#known.set(shown, known);
    }
    this.#device = this.#known.get(digits);
  }

  isChosen(digits) { return this.#known.has(digits); }

  // Makes the next click show the browser's list.
  letGo(digits) { this.#known.delete(digits); }

  get name() { return this.#device?.device.name ?? ""; }

  perform(word, op, argument, tell) {
    this["_" + word](op, argument, tell);
  }

  // Ends a link of unknown state, after a sleep or at the end.
  drop() {
    const link = this.#link;
    if (!link) return;
    this.#end(link);
    link.tell("linkDown", link.op, "closed");
  }

  _scan(op, milliseconds, tell) {
    const { device } = this.#device;
    tell("heard", op, new TextEncoder().encode(device.name ?? ""), device.id.slice(0, 256), null);
    tell("scanOver", op, null);
  }

  _stopScan() {}

  async _connect(op, address, tell) {
    if (this.#link) this.#end(this.#link);
    const kept = this.#device, link = this.#link = { op, kept, device: kept.device, tell, writes: Promise.resolve(),
      tag: crypto.getRandomValues(new Uint8Array(TAG)), ear: new AbortController(), isUp: false };
    await this.#ending;
    await pause(Math.max(0, this.#ended + this.#settling - performance.now()));
    if (this.#link !== link) return;
    link.device.addEventListener("gattserverdisconnected", () => this.#lost(link, ["closed"]), { signal: link.ear.signal });
    try {
      await this.#join(link);
    } catch (error) {
      return this.#lost(link, reason(error));
    }
    if (this.#link !== link) return;
    link.isUp = true;
    tell("linked", op);
  }

  // Right after another link, connecting may hang without an error. Each further try has more time.
  async #join(link) {
    for (let wait = ATTEMPT_MS; this.#link === link; wait *= 4) {
      const attempt = link.device.gatt.connect().then(server => server.getPrimaryService(SERVICE));
      attempt.catch(() => {});
      link.service = await Promise.race([attempt, pause(wait)]);
      if (link.service) return;
      link.device.gatt.disconnect();
    }
  }

  async _identify(op, _, tell) {
    const link = this.#link;
    if (!link) return;
    try {
      const identity = await link.service.getCharacteristic(IDENTITY);
      link.transfer = await link.service.getCharacteristic(TRANSFER);
      const bytes = bytesOf(await identity.readValue());
      if (this.#link === link) tell("identity", op, bytes.slice(0, 512));
    } catch (error) {
      this.#lost(link, reason(error));
    }
  }

  async _open(op, _, tell) {
    const link = this.#link;
    if (!link) return;
    try {
      await this.#silence(link);
      link.transfer.addEventListener("characteristicvaluechanged",
        event => this.#arrived(link, bytesOf(event.target.value)), { signal: link.ear.signal });
      await link.transfer.startNotifications();
      if (this.#link !== link) return;
      tell("opened", op, "GATT", BINDING, link.kept.value - TAG, LONGEST_RECEIVED);
      // Only received values raise this length: nothing else shows that values are cut.
      link.kept.value = LEAST_VALUE;
    } catch (error) {
      this.#lost(link, reason(error));
    }
  }

  // Chromium keeps a subscription after its connection; the next connection then gets none.
  #silence({ transfer }) {
    return Promise.race([transfer?.stopNotifications().catch(() => {}), pause(PATIENCE_MS)]);
  }

  #arrived(link, value) {
    if (this.#link !== link || value[0] !== link.tag[0] || value[1] !== link.tag[1]) return;
    link.kept.value = Math.min(LONGEST_VALUE, Math.max(link.kept.value, value.length));
    link.tell("segment", link.op, value.slice(TAG));
  }

  _write(op, segment, tell) {
    const link = this.#link;
    if (!link) return;
    const value = new Uint8Array(TAG + segment.length);
    value.set(link.tag);
    value.set(segment, TAG);
    link.writes = link.writes.then(async () => {
      if (link.isOver) return;
      try {
        await link.transfer.writeValueWithoutResponse(value);
        link.wrote = performance.now();
        if (this.#link === link) tell("written", op);
      } catch (error) {
        this.#lost(link, reason(error));
      }
    });
  }

  _disconnect() {
    if (this.#link) this.#end(this.#link);
  }

  _measure(op, _, tell) {
    tell("signal", op, null);
  }

  #lost(link, why) {
    if (this.#link !== link) return;
    // Wait this long only once needed.
    if (performance.now() < this.#ended + LINGERING_MS) this.#settling = LINGERING_MS;
    this.#end(link);
    link.tell("linkDown", link.op, ...why);
  }

  // Reports nothing more. bluetoothd can abort if a link ends while it delivers a value.
  #end(link) {
    this.#link = null;
    link.ear.abort();
    if (!link.isUp) return this.#disconnect(link);
    this.#ending = this.#ending.then(async () => {
      await Promise.race([link.writes, pause(PATIENCE_MS)]);
      link.isOver = true;
      if (link.wrote) await pause(Math.max(0, link.wrote + FAREWELL_MS - performance.now()));
      if (link.device.gatt.connected) await this.#silence(link);
      this.#disconnect(link);
    });
  }

  #disconnect({ device }) {
    device.gatt.disconnect();
    this.#ended = performance.now();
  }
}

const reason = error => error.name === "NetworkError" || error.name === "NotFoundError" ? ["closed"]
  : ["radio", (error.name + ": " + error.message).slice(0, 80)];
