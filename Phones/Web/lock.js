// One page of the origin is at work; others say so and wait. Resolves when this page may begin.

export function takeTurn(sayBusy) {
  return new Promise(resolve => {
    const hold = lock => {
      if (!lock) {
        sayBusy();
        return void navigator.locks.request("boxphone", hold);
      }
      resolve();
      // A page that was left may be kept in memory: it gives its turn up, and begins anew when it comes back.
      return new Promise(release => addEventListener("pagehide", release, { once: true }));
    };
    addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
    navigator.locks.request("boxphone", { ifAvailable: true }, hold);
  });
}
