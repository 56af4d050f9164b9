// Caches the page for starts without network. A new release waits until no page of the old one is open: such a page
// holds the origin's lock. Scripts/web inserts names and hashes.

const FILES = {}, RELEASE = "";
const FOLDER = new URL("./", self.location).href;

async function install() {
  const cache = await caches.open(RELEASE);
  for (const [name, integrity] of Object.entries(FILES)) {
    const answer = await fetch(name, { integrity: "sha256-" + integrity, cache: "no-store", redirect: "error" });
    if (!answer.ok) throw new Error(name);
    await cache.put(name, answer);
  }
}

async function tidy() {
  for (const name of await caches.keys()) if (name !== RELEASE) await caches.delete(name);
}

async function answer(request, name) {
  const cache = await caches.open(RELEASE);
  return await cache.match(name || "index.html") ?? fetch(request);
}

self.addEventListener("install", event => event.waitUntil(install()));
self.addEventListener("activate", event => event.waitUntil(tidy().then(() => clients.claim())));
self.addEventListener("fetch", event => {
  const name = event.request.url.split(/[?#]/)[0].slice(FOLDER.length);
  if (event.request.url.startsWith(FOLDER) && (name === "" || name in FILES)) event.respondWith(answer(event.request, name));
});
