// The core's time in microseconds: the larger step of two clocks. One stops in sleep; users set the other.

const BEAT = 1000, SLEPT = 2000, LONGEST = 86400000;
let sum = 0, steady = performance.now(), wall = Date.now();
const wakers = new Set();

export function now() {
  const a = performance.now() - steady, b = Date.now() - wall;
  steady += a;
  wall += b;
  // Bounds each step for the core.
  sum += Math.min(Math.max(a, b, 0), LONGEST);
  // Links from before a sleep are not trusted.
  if (b - a > SLEPT) woken();
  return sum * 1000;
}

const woken = () => wakers.forEach(call => call());

export const whenWoken = call => wakers.add(call);

setInterval(now, BEAT);
document.addEventListener("resume", woken);
