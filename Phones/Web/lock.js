// One page of the origin runs; the others say so and wait. Resolves when this page may.

export function takeTurn(sayBusy) {
  return new Promise(resolve => {
    const hold = lock => {
      if (!lock) {
        sayBusy();
        return void navigator.locks.request("boxphone", hold);
      }
      resolve();
      // A page that was left may stay in memory. It frees the lock, and reloads when shown again.
      return new Promise(release => addEventListener("pagehide", release, { once: true }));
    };
    addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
    navigator.locks.request("boxphone", { ifAvailable: true }, hold);
  });
}
