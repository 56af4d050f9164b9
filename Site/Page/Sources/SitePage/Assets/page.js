// The page's script: passkeys, and numbers that change. It writes text only, never HTML.

const toText = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const toBytes = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
// A challenge expires after three minutes; reload the page before.
const CHALLENGE_MILLISECONDS = 170_000;
const opened = performance.now();

const ask = {
  async get(form) {
    const { response, rawId } = await navigator.credentials.get({ publicKey: {
      challenge: toBytes(form.dataset.challenge), rpId: form.dataset.host, userVerification: "required" } });
    return { credential: rawId, client: response.clientDataJSON, authenticator: response.authenticatorData, signature: response.signature };
  },
  async create(form) {
    const { response } = await navigator.credentials.create({ publicKey: {
      challenge: toBytes(form.dataset.challenge), rp: { id: form.dataset.host, name: form.dataset.site },
      user: { id: toBytes(form.dataset.handle), name: form.dataset.name, displayName: form.dataset.name },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }], attestation: "none",
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" } } });
    return { client: response.clientDataJSON, attestation: response.attestationObject };
  },
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const button = form.querySelector("button"), told = form.querySelector("[data-failed]");
  if (!window.PublicKeyCredential) continue;
  document.querySelector(".needs-script")?.remove();
  button.disabled = false;
  form.addEventListener("submit", async event => {
    event.preventDefault();
    if (performance.now() - opened > CHALLENGE_MILLISECONDS) return location.reload();
    button.disabled = true;
    told.textContent = "";
    try {
      for (const [name, bytes] of Object.entries(await ask[form.dataset.passkey](form))) form.elements[name].value = toText(bytes);
      form.submit();
    } catch {
      told.textContent = told.dataset.failed;
      button.disabled = false;
      button.focus();
    }
  });
}

// The one-time code follows the link's #, so no server or log sees it.
for (const field of document.querySelectorAll("[data-from-link]")) {
  if (location.hash.length > 1) field.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
}

// Calls `heard` with a stream's messages until the page is left. If the server has no room for the stream, tries again.
const RETRY_MILLISECONDS = 5_000;
const listen = (path, heard) => {
  const stream = new EventSource(path);
  stream.addEventListener("message", event => heard(event.data));
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_MILLISECONDS, path, heard);
  });
  // Close the stream, so that pages that were left keep none open.
  window.addEventListener("pagehide", () => stream.close());
};

const live = document.querySelectorAll("[data-live]");
if (live.length > 0) {
  const tell = news => {
    for (const place of live) {
      const value = news[place.dataset.live];
      if (value === undefined) continue;
      const text = place.dataset.words === undefined ? value : value === "0" ? "" : place.dataset.words;
      if (place.textContent !== text) place.textContent = text;
    }
  };
  listen("/live", data => tell(Object.fromEntries(data.split("\n").map(line => line.split("=")))));
}

// While a phone is enrolled, show each step on a new page. This also removes the code's secret from view.
for (const place of document.querySelectorAll("[data-enrolment]")) {
  listen(`/enrolment/live?code=${place.dataset.enrolment}`, data => {
    if (data !== place.dataset.step) location.replace(`/enrolment?code=${place.dataset.enrolment}`);
  });
}
