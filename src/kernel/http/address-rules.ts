import ipaddr from "ipaddr.js";

/** Rules of addresses that users choose for requests of this server. Pure: no configuration, no resolution. */

type IPv4 = ipaddr.IPv4;
type IPv6 = ipaddr.IPv6;

/**
 * Judgement of an address:
 * - `public`: it is somewhere on the internet,
 * - `private`: it is in a network around this machine, which the operator may permit,
 * - `refused`: nothing that a user may choose is there: this machine itself, its link, a cloud's metadata service.
 */
export interface Judgement {
  reach: "public" | "private" | "refused";
  /** The kind of address, as the end of a sentence: "leads to …". */
  words: string;
}

const PUBLIC: Judgement = { reach: "public", words: "a public address" };
const PRIVATE: Judgement = { reach: "private", words: "an address of a private network" };
const refused = (words: string): Judgement => ({ reach: "refused", words });
const RESERVED = refused("a reserved address");

/**
 * Metadata services of clouds, which hand out credentials to whoever asks from inside. Those of the link-local range are
 * refused with it.
 */
const METADATA = new Set(
  ["100.100.100.200", "168.63.129.16", "192.0.0.192", "169.254.169.254", "169.254.170.2"].concat(
    ["fd00:ec2::254", "fd20:ce::254", "fd00:42::42"].map((address) => ipaddr.parse(address).toString()),
  ),
);

/** Judgements of ipaddr.js' ranges; one that isn't here is reserved. */
const RANGES: Record<string, Judgement> = {
  unicast: PUBLIC,
  as112: PUBLIC,
  as112v6: PUBLIC,
  amt: PUBLIC,
  private: PRIVATE,
  carrierGradeNat: PRIVATE,
  uniqueLocal: PRIVATE,
  deprecatedSiteLocal: PRIVATE,
  loopback: refused("a loopback address"),
  linkLocal: refused("a link-local address"),
  unspecified: refused("an unspecified address"),
  multicast: refused("a multicast address"),
  broadcast: refused("a broadcast address"),
};

/** The IPv4 address in the 32 bits from a 16-bit part on. */
const embeddedAt = ({ parts }: IPv6, at: number): IPv4 => {
  const [high = 0, low = 0] = parts.slice(at, at + 2);
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
};

/**
 * The IPv4 address at which packets to an IPv6 address end: mapped and compatible ones (RFC 4291, section 2.5.5),
 * translated ones (RFC 2765, RFC 6052), 6to4 (RFC 3056) and ISATAP (RFC 5214). Null for one that is itself.
 */
function embedded(address: IPv6): IPv4 | null {
  const { parts } = address;
  const range = address.range();
  if (range === "6to4") return embeddedAt(address, 1);
  const isWellKnownPrefix = parts[2] === 0;
  if (range === "ipv4Mapped" || range === "rfc6145" || (range === "rfc6052" && isWellKnownPrefix))
    return embeddedAt(address, 6);
  if (range === "unicast" && parts.slice(0, 6).every((part) => part === 0)) return embeddedAt(address, 6);
  if (range === "unicast" && parts[5] === 0x5efe && ((parts[4] ?? 0) & 0xfdff) === 0)
    return embeddedAt(address, 6);
  return null;
}

/**
 * Judges an address in any form that a parser of addresses takes: with a zone, octal, hexadecimal or as one number, and
 * IPv4 inside IPv6. Text that is no address is refused.
 */
export function judgeAddress(text: string): Judgement {
  const bare = text.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return RESERVED;
  const address = ipaddr.parse(bare);
  const inside = address.kind() === "ipv6" ? embedded(address as IPv6) : null;
  const meant = inside ?? address;
  if (METADATA.has(meant.toString())) return refused("an address of a cloud's metadata service");
  return RANGES[meant.range()] ?? RESERVED;
}

/** True for a name that means this machine wherever it is asked for (RFC 6761, section 6.3). */
export const isLocalhostName = (name: string): boolean => /(?:^|\.)localhost\.?$/i.test(name);
