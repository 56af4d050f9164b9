// A passkey as a source of keys: WebAuthn's `prf` extension (https://www.w3.org/TR/webauthn-3/#prf-extension). No
// signature is checked: only this passkey gives the value, after finger, face or screen lock.

const WAIT_MS = 60_000, PRF_BYTES = 32, VERIFIED = 4, FLAGS = 32;

// The message is the key of the reason's sentence.
export class PasskeyError extends Error {}

const random = count => crypto.getRandomValues(new Uint8Array(count));

// isPossible: the browser supports passkeys. isRecommended: the device itself can hold one.
export const isPossible = () => "PublicKeyCredential" in globalThis;
export const isRecommended = async () => isPossible() && await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();

// For privacy, browsers report cancelled, refused and missing passkeys alike.
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

// Usable by HKDF only, and not extractable.
const rootOf = async value => {
  const root = await crypto.subtle.importKey("raw", value, "HKDF", false, ["deriveKey"]);
  value.fill(0);
  return root;
};

// Asks for the passkey and returns the root of the keys.
export async function give(record) {
  const value = await evaluate(record);
  if (!value) throw new PasskeyError("pass.changed");
  return rootOf(value);
}

// Makes a passkey, discoverable if possible so that the device lists it, and gets its first value.
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

// Gets the value again. Throws if it differs.
export async function confirm({ record, first }) {
  const second = await evaluate(record), isSame = second?.every((byte, index) => byte === first[index]);
  first.fill(0);
  if (!isSame) {
    discard(record);
    throw new PasskeyError("pass.unstable");
  }
  return rootOf(second);
}

// Tells the device that this passkey is no longer needed.
export function discard({ credential }) {
  const id = btoa(String.fromCharCode(...credential)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  globalThis.PublicKeyCredential?.signalUnknownCredential?.({ rpId: location.hostname, credentialId: id }).catch(() => {});
}
