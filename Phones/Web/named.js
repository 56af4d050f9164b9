// Names for the lists that the core sends (Sources/PhoneABI). The core takes a named list back.

const named = (list, names) => Object.assign(list, ...names.split(" ").map((name, place) => ({ [name]: list[place] })));

export const box = list => named(list, "id boxID boxKey authorityKey highestSerial user label mode confirmed hasCredential hasDeviceSecret");
export const state = list => named(list, "session user seconds minimumSeconds maximumSeconds mayBeOff logoutInSeconds credentialStale pinAttemptsLeft");
export const outcome = list => named(list, "word code attemptsLeft retryAfterSeconds");
export const warning = list => named(list, "seconds cause canExtend");

export const CODES = { wrongCredentials: 1, passwordMustChange: 5, pinWrong: 6, wiped: 7, timedOut: 12, noCredential: 15, credentialStale: 19 };

// An order's end: the kind, its box, outcome, error or site, and the box's state.
export const end = ([kind, value, reported]) => ({ kind, state: reported ? state(reported) : null,
  value: !Array.isArray(value) ? value : kind === "failed" ? named(value, "word boxID") : /enrolled|found/.test(kind) ? box(value) : outcome(value) });
