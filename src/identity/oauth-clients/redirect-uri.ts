/** Hosts that mean the device itself, in the form of a URI (RFC 8252, section 7.3). */
const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?$/i;

/**
 * A private-use scheme is a reversed domain name, and a path follows (RFC 8252, section 7.1):
 * `app.example:8080/x` is a web address without its scheme.
 */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/{1,3}[^/]/i;

/** A host name or an IPv6 address, and a port (RFC 3986, section 3.2). */
const HOST =
  /^(?:\[[\da-f:.]+\]|[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*\.?)(?::\d{1,5})?$/i;

/** A URI in the characters of RFC 3986: `URL` alone would repair much, such as backslashes and `https:x`. */
const ABSOLUTE =
  /^[a-z][a-z\d+.-]*:(?:\/\/(?<authority>(?:[\w.~:[\]@!$&'()*+,;=-]|%[\da-f]{2})*)(?=[/?#]|$))?(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i;

/**
 * Fault of a redirect URI, as the end of a sentence; null for a valid one. It must be absolute and without a
 * fragment (RFC 6749, section 3.1.2), and lead to https, to the device itself over http, or to an app by a
 * private-use scheme (RFC 8252, section 7).
 */
export function redirectUriFault(uri: string): string | null {
  const parts = ABSOLUTE.exec(uri)?.groups;
  const url = URL.parse(uri);
  if (!parts || !url) return "must be an absolute URI";
  if (uri.includes("#")) return "must have no fragment";
  if (uri.includes("*")) return "must have no wildcard";
  if (parts.authority?.includes("@")) return "must hold no user or password";
  if (PRIVATE_USE.test(uri)) return null;
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return "must use https, or a private scheme such as com.example.app:/callback";
  if (!parts.authority || !HOST.test(parts.authority)) return "must name a host";
  if (url.protocol === "http:" && !LOOPBACK.test(parts.authority))
    return "must use https, except on the device itself";
  return null;
}

/** An address of this device by its number, with a port that may differ. */
const OF_DEVICE = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

const withoutPort = (uri: string): string => uri.replace(OF_DEVICE, "$1");

/**
 * True if a client has registered a redirect URI: character for character (RFC 9700, section 2.1). An app on the device
 * itself listens on the port that it gets: for a public client, the port of 127.0.0.1 and [::1] may be any (RFC 8252,
 * section 7.3).
 */
export function registeredUri(
  { redirect_uris, client_type }: { redirect_uris: readonly string[]; client_type: string },
  uri: string,
): boolean {
  if (redirect_uris.includes(uri)) return true;
  return (
    client_type === "public" &&
    OF_DEVICE.test(uri) &&
    redirectUriFault(uri) === null &&
    redirect_uris.some((known) => withoutPort(known) === withoutPort(uri))
  );
}

/** True for an address that only the holder of a domain can receive at: no app on the same device can. */
export const isAssured = (uri: string): boolean => uri.startsWith("https:");
