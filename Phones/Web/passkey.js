// A passkey as a source of keys: WebAuthn's extension `prf` (https://www.w3.org/TR/webauthn-3/#prf-extension). Nobody checks
// a signature: what counts is the value that only this passkey gives, after finger, face or screen lock.

const WAIT_MS = 60_000, PRF_BYTES = 32, VERIFIED = 4, FLAGS = 32;

// Why there is no value: the key of a sentence.
export class PasskeyError extends Error {}

const random = count => crypto.getRandomValues(new Uint8Array(count));

// A browser without it is not asked; whether the device has one of its own decides what is recommended.
export const isPossible = () => "PublicKeyCredential" in globalThis;
export const isRecommended = async () => isPossible() && await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();

// Of a cancelled, a refused and a missing passkey browsers say the same, to tell pages nothing of the person.
const reason = error => error instanceof PasskeyError ? error
  : new PasskeyError(["NotSupportedError", "ConstraintError", "SecurityError"].includes(error?.name) ? "pass.cannot" : "pass.notGiven");

const valueOf = credential => {
  const value = credential.getClientExtensionResults().prf?.results?.first;
  return value?.byteLength === PRF_BYTES ? new Uint8Array(value) : null;
};

async function evaluate({ credential, transports, salt }) {
  try {
    const given = await navigator.credentials.get({ publicKey: {
      challenge: random(32), allowCredentials: [{ type: "public-key", id: credential, transports }], userVerification: "required",
      timeout: WAIT_MS, extensions: { prf: { eval: { first: salt } } } } });
    if (!(new Uint8Array(given.response.authenticatorData)[FLAGS] & VERIFIED)) throw new PasskeyError("pass.notGiven");
    return valueOf(given);
  } catch (error) {
    throw reason(error);
  }
}

// Only HKDF takes it, and nobody gets it out again.
const rootOf = async value => {
  const root = await crypto.subtle.importKey("raw", value, "HKDF", false, ["deriveKey"]);
  value.fill(0);
  return root;
};

// The person gives the passkey: what it opens the keys with.
export async function give(record) {
  const value = await evaluate(record);
  if (!value) throw new PasskeyError("pass.changed");
  return rootOf(value);
}

// A new passkey, and its first value. Discoverable where the device can keep it so: then its own list of passkeys shows it.
export async function create() {
  const salt = random(32);
  let made;
  try {
    made = await navigator.credentials.create({ publicKey: {
      rp: { name: "boxphone" }, user: { id: random(16), name: "boxphone", displayName: "boxphone" }, challenge: random(32),
      pubKeyCredParams: [-8, -7, -257].map(alg => ({ type: "public-key", alg })), attestation: "none", timeout: WAIT_MS,
      authenticatorSelection: { userVerification: "required", residentKey: "preferred" }, hints: ["client-device"],
      extensions: { prf: { eval: { first: salt } } } } });
  } catch (error) {
    throw reason(error);
  }
  const record = { credential: new Uint8Array(made.rawId), transports: made.response.getTransports(), salt };
  try {
    if (!made.getClientExtensionResults().prf?.enabled) throw new PasskeyError("pass.cannot");
    const first = valueOf(made) ?? await evaluate(record);
    if (!first) throw new PasskeyError("pass.cannot");
    return { record, first };
  } catch (error) {
    discard(record);
    throw error;
  }
}

// The same value once more, or no key hangs on this passkey.
export async function confirm({ record, first }) {
  const second = await evaluate(record), isSame = second?.every((byte, index) => byte === first[index]);
  first.fill(0);
  if (!isSame) {
    discard(record);
    throw new PasskeyError("pass.unstable");
  }
  return rootOf(second);
}

// The list of passkeys of the device may drop it: no page needs it any more.
export function discard({ credential }) {
  const id = btoa(String.fromCharCode(...credential)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  globalThis.PublicKeyCredential?.signalUnknownCredential?.({ rpId: location.hostname, credentialId: id }).catch(() => {});
}
