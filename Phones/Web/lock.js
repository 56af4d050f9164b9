// Only one page of the origin runs; others say so and wait. Resolves when this one may.

export function takeTurn(sayBusy) {
  return new Promise(resolve => {
    const hold = lock => {
      if (!lock) {
        sayBusy();
        return void navigator.locks.request("boxphone", hold);
      }
      resolve();
      // A page that was left may stay in memory. It releases the lock, and reloads when shown again.
      return new Promise(release => addEventListener("pagehide", release, { once: true }));
    };
    addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
    navigator.locks.request("boxphone", { ifAvailable: true }, hold);
  });
}
