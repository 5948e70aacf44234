/** The credential that an app sends: in a header, or in its address where the app knows no other way. */

export interface Presented {
  token: string;
  /** True for `Authorization: Bearer`, the only place for an API key. */
  isBearer: boolean;
}

const BEARER = /^Bearer +([!-~]+) *$/i;
const BASIC = /^Basic +([\w+/-]+=*) *$/i;

/** The password of Basic credentials (RFC 7617, section 2), in which only the first colon divides. */
function passwordOf(base64: string): string {
  const text = Buffer.from(base64, "base64").toString("utf8");
  return text.slice(text.indexOf(":") + 1 || text.length);
}

/** The token of a header; null for a header in another form. Basic credentials without password count as none: "". */
function headerToken(header: string): Presented | null {
  const bearer = BEARER.exec(header)?.[1];
  if (bearer !== undefined) return { token: bearer, isBearer: true };
  const basic = BASIC.exec(header)?.[1];
  return basic === undefined ? null : { token: passwordOf(basic), isBearer: false };
}

/**
 * The one credential of a request; null where there is none, its header can't be read, or there are two that differ.
 * `inAddress` are the tokens of its path and, at the door that takes them, its query.
 */
export function presentedBy(header: string | null, inAddress: readonly string[]): Presented | null {
  const inHeader = header === null ? undefined : headerToken(header);
  if (inHeader === null) return null;
  const others = inAddress.map((token) => ({ token, isBearer: false }));
  const all = (inHeader ? [inHeader, ...others] : others).filter(({ token }) => token !== "");
  const [first] = all;
  return first && all.every(({ token }) => token === first.token) ? first : null;
}
