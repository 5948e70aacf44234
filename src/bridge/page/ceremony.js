// Passkeys in a browser, by the JSON that servers speak (WebAuthn Level 3, sections 5.1.8 and 5.1.9). The methods that browsers
// have for it are too new to be relied on. Pages that are no part of the Bridge's bundle take this file as it is.

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );

const textOf = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

const identified = (list) => list.map((each) => ({ ...each, id: bytesOf(each.id) }));

/** True where a page may use passkeys: in a secure context, which plain http from another machine is not, at one of these origins. */
export const mayUsePasskeys = (origins) =>
  window.isSecureContext &&
  navigator.credentials !== undefined &&
  window.PublicKeyCredential !== undefined &&
  origins.includes(location.origin);

/** Asks for a passkey. Throws a DOMException where the user gives none. */
export async function askForPasskey(options) {
  const { id, type, response } = await navigator.credentials.get({
    publicKey: {
      ...options,
      challenge: bytesOf(options.challenge),
      allowCredentials: identified(options.allowCredentials),
    },
  });
  return {
    id,
    type,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      ...(response.userHandle && { userHandle: textOf(response.userHandle) }),
    },
  };
}

/** Makes a passkey. Throws a DOMException where the user makes none, or the authenticator has one already. */
export async function makePasskey(options) {
  const { id, type, response } = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(options.challenge),
      user: { ...options.user, id: bytesOf(options.user.id) },
      excludeCredentials: identified(options.excludeCredentials),
    },
  });
  return {
    id,
    type,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}
