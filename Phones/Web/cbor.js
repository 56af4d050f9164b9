// The deterministic CBOR of docs/reference/phone-core.md: integers, byte strings, texts, arrays, false, true, null.

const UTF8 = new TextEncoder(), TEXT = new TextDecoder("utf-8", { fatal: true });

export function encode(value) {
  const bytes = [];
  const head = (kind, count) => {
    const number = BigInt(count), lead = kind << 5;
    if (number < 24n) return bytes.push(lead | Number(number));
    const size = number < 0x100n ? 0 : number < 0x10000n ? 1 : number < 0x100000000n ? 2 : 3;
    bytes.push(lead | (24 + size));
    for (let shift = (8 << size) - 8; shift >= 0; shift -= 8) bytes.push(Number((number >> BigInt(shift)) & 255n));
  };
  const put = item => {
    if (item === null) bytes.push(0xf6);
    else if (item === false || item === true) bytes.push(item ? 0xf5 : 0xf4);
    else if (item instanceof Uint8Array) { head(2, item.length); for (const byte of item) bytes.push(byte); }
    else if (Array.isArray(item)) { head(4, item.length); item.forEach(put); }
    else if (typeof item === "string") { const text = UTF8.encode(item); head(3, text.length); bytes.push(...text); }
    else if (item < 0) head(1, -1n - BigInt(item));
    else head(0, item);
  };
  put(value);
  const whole = Uint8Array.from(bytes);
  bytes.fill(0);
  return whole;
}

// Numbers from 2^53 on become BigInt. Byte strings are copies. Throws on any other CBOR.
export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const count = low => {
    if (low < 24) return low;
    const start = at;
    at += 1 << (low - 24);
    if (low === 24) return view.getUint8(start);
    if (low === 25) return view.getUint16(start);
    if (low === 26) return view.getUint32(start);
    if (low !== 27) throw new RangeError("not the core's CBOR");
    const long = view.getBigUint64(start);
    return long > Number.MAX_SAFE_INTEGER ? long : Number(long);
  };
  const take = size => bytes.slice(at, at += size);
  const get = () => {
    const first = view.getUint8(at++), low = first & 31;
    switch (first >> 5) {
      case 0: return count(low);
      case 1: return -1 - count(low);
      case 2: return take(count(low));
      case 3: return TEXT.decode(take(count(low)));
      case 4: return Array.from({ length: count(low) }, get);
    }
    if (first < 0xf4 || first > 0xf6) throw new RangeError("not the core's CBOR");
    return first === 0xf6 ? null : first === 0xf5;
  };
  return get();
}
