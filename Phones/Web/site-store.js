// A site's row among the boxes: its key and verified data. Offsets: docs/reference/site-protocol.md, 3 to 8.

import { hex } from "./release.js";

const ENTRIES = 1024, HOLDERS = 256, VISITED = 3;

const part = (bytes, from, to) => hex(bytes.subarray(from, to));
const isSame = (one, other) => hex(one) === hex(other);

export const isOfSite = kept => kept.isSite === true && kept.document !== null;

// A key that waits for a site's grant.
export const waiting = (id, key) => ({ id, isSite: true, document: null, grant: null, entry: null, head: null, entries: [], holders: [], key, secret: null });

// The core's row of a site: docs/reference/phone-core.md.
export const siteRow = kept => [kept.id, kept.grant.slice(9, 41), kept.document, kept.grant, kept.entry, kept.head, kept.entries, kept.holders];

// The numbers of recent boxes.
export const visited = kept => kept.visited ?? [];

// Facts to show of a grant, which was verified before it was stored.
export function facts({ grant, site }) {
  const user = 84 + 2 * grant[82];
  return { name: hex(site).slice(0, 12), user: grant.subarray(user, user + grant[user - 1]), isSiteHeld: grant[57] === 2,
    until: Number(new DataView(grant.buffer, grant.byteOffset).getBigUint64(74)) };
}

// Returns the row after a core's command, or null if that does not fit.
export function changed(kept, command, values) {
  switch (command) {
    case "keepSite": {
      const [site, document, grant, entry] = values;
      return within({ ...kept, site, document, grant, entry, holders: kept.grant && isSame(kept.grant, grant) ? kept.holders : [] });
    }
    case "noteSiteBox": {
      const others = kept.holders.filter(key => !isSame(key, values[0]));
      return { ...kept, holders: (values[1] ? [...others, values[0]] : others).slice(-HOLDERS) };
    }
    case "siteGrant": return isSame(kept.grant, values[1]) ? { ...kept, grant: values[0], holders: [] } : kept;
    case "siteNews": {
      const [before, document, head, entries] = values;
      if (!isSame(kept.document, before) && !isSame(kept.document, document)) return null;
      const old = within({ ...kept, document }), known = new Set(old.entries.map(hex));
      return within({ ...old, head: head ?? old.head, entries: [...old.entries, ...entries.filter(each => !known.has(hex(each)))].slice(0, ENTRIES) });
    }
    case "stopSite": return { ...kept, entry: values[0] };
    // The page's own command: boxes of the last logins, newest first.
    case "visited": return { ...kept, visited: [values[0], ...visited(kept).filter(each => each !== values[0])].slice(0, VISITED) };
  }
  return null;
}

// Drops data of other generations, and entries that had expired when the status was signed.
function within(kept) {
  const generation = part(kept.document, 25, 33), head = kept.head && part(kept.head, 9, 17) === generation ? kept.head : null;
  const isGood = entry => part(entry, 42, 50) === generation && !(head && part(entry, 34, 42) <= part(head, 65, 73));
  return { ...kept, head, entries: kept.entries.filter(isGood) };
}
