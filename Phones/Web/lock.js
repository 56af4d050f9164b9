// One page of the origin is at work; others say so and wait. Resolves when this page may begin.

export function takeTurn(sayBusy) {
  return new Promise(resolve => {
    const hold = lock => {
      if (!lock) {
        sayBusy();
        return void navigator.locks.request("boxphone", hold);
      }
      resolve();
      return new Promise(() => {});
    };
    navigator.locks.request("boxphone", { ifAvailable: true }, hold);
  });
}
