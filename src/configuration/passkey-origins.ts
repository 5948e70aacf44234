/** Origins that may have passkeys: secure contexts whose host is a name (WebAuthn Level 3, sections 5.1.3 and 13.4.9). */

/** An Android app, by the hash of the certificate that it is signed with. */
const ANDROID_APP = /^android:apk-key-hash:[\w-]{43}$/;

const IP_ADDRESS = /^(?:\[.*\]|[\d.]+)$/;

const isLocal = (host: string): boolean => host === "localhost" || host.endsWith(".localhost");

export const isAndroidApp = (origin: string): boolean => ANDROID_APP.test(origin);

/** True for an origin that browsers let have passkeys. */
export function isPasskeyOrigin(origin: string): boolean {
  if (isAndroidApp(origin)) return true;
  const { protocol, hostname } = new URL(origin);
  if (IP_ADDRESS.test(hostname)) return false;
  return protocol === "https:" || (protocol === "http:" && isLocal(hostname));
}

/** True if a page's passkeys may be bound to a host: its own, or one that it lies under. */
export const isUnder = ({ hostname }: URL, host: string): boolean =>
  hostname === host || hostname.endsWith(`.${host}`);
