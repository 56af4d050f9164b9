// A time span in the user's language: hours, minutes and seconds that are not 0.

import { language } from "./texts.js";

const UNITS = [["hour", 3600, Infinity], ["minute", 60, 60], ["second", 1, 60]];

export function span(seconds) {
  const parts = UNITS.map(([unit, size, most]) => [unit, Math.floor(seconds / size) % most]).filter(([, count]) => count > 0);
  return (parts.length ? parts : [["second", 0]]).map(([unit, count]) =>
    new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "short" }).format(count)).join(" ");
}
