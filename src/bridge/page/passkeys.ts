import { ApiError, api, call } from "./api";
import { askForPasskey, makePasskey, mayUsePasskeys } from "./ceremony.js";
import { passkeyOrigins } from "./session";

/** Passkeys on this page: the browser makes and shows them, the server judges. */

/** True where the browser lets this page use passkeys, and the server takes them from it. */
export const hasPasskeys = (): boolean => mayUsePasskeys(passkeyOrigins.value);

/** Why there are no passkeys here: the server permits none, the page was opened by another address, or the browser has none. */
export function whyNone(): "server" | "address" | "browser" {
  const origins = passkeyOrigins.value;
  if (origins.length === 0) return "server";
  return origins.includes(location.origin) && isSecureContext ? "browser" : "address";
}

/** Lets the browser do its part. Its user may change their mind: that is a refusal like those of the server. */
async function ofBrowser<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new ApiError(0, { error: error.name === "InvalidStateError" ? "PasskeyKnown" : "PasskeyNotGiven" });
  }
}

/** Signs in by a passkey alone. */
export async function signInByPasskey(stay_signed_in: boolean): Promise<void> {
  const { public_key } = await call(() => api.POST("/v1/auth/passkeys/options"));
  const credential = await ofBrowser(() => askForPasskey(public_key));
  await call(() => api.POST("/bridge/session/passkey", { body: { credential, stay_signed_in } }));
}

/** Completes a sign-in by a passkey. */
export async function completeByPasskey(temp_token: string, stay_signed_in: boolean): Promise<void> {
  const { public_key } = await call(() => api.POST("/v1/auth/2fa/passkey/options", { body: { temp_token } }));
  const credential = await ofBrowser(() => askForPasskey(public_key));
  const body = { temp_token, credential, stay_signed_in };
  await call(() => api.POST("/bridge/session/2fa/passkey", { body }));
}

/** Proves by a passkey who sits here. */
export async function proveByPasskey(): Promise<void> {
  const { public_key } = await call(() => api.POST("/v1/auth/reauthenticate/options"));
  const passkey = await ofBrowser(() => askForPasskey(public_key));
  await call(() => api.POST("/v1/auth/reauthenticate", { body: { passkey } }));
}

/** Adds a passkey to the own account; without a name it has that of its authenticator. */
export async function addPasskey(name: string): Promise<void> {
  const { public_key } = await call(() => api.POST("/v1/users/me/passkeys/options"));
  const credential = await ofBrowser(() => makePasskey(public_key));
  await call(() =>
    api.POST("/v1/users/me/passkeys", { body: { credential, ...(name.trim() && { name: name.trim() }) } }),
  );
}
