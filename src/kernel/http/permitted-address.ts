import dns from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { config } from "../../configuration/config";
import { isLocalhostName, judgeAddress } from "./address-rules";
import { OutboundError } from "./outbound";

/** The addresses that requests to destinations of users may go to, by the operator's configuration. */

/** The destination is not permitted. The message says why, as the end of a sentence: "leads to …". */
export class AddressRefused extends Error {
  /** True for a name, which may resolve to something else at another time. */
  readonly mayChange: boolean;

  constructor(reason: string, mayChange: boolean) {
    super(reason);
    this.mayChange = mayChange;
  }
}

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

const unbracketed = (hostname: string): string => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/** The port of a web address. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === "https:" ? 443 : 80));

/** True for a host that the operator listed in `notifications.allowed_hosts`, by itself or with this port. */
function isListed(hostname: string, port: number): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  const listed = config["notifications.allowed_hosts"];
  return listed.includes(host) || listed.includes(`${host}:${port}`);
}

function check(address: string, mayChange: boolean): void {
  const { reach, words } = judgeAddress(address);
  if (reach === "refused")
    throw new AddressRefused(
      `leads to ${words}; the operator can allow the host in notifications.allowed_hosts`,
      mayChange,
    );
  if (reach === "private" && !config["notifications.allow_private_addresses"])
    throw new AddressRefused(
      `leads to ${words}; the operator can allow these with notifications.allow_private_addresses = true`,
      mayChange,
    );
}

/**
 * Resolves a host once, and returns its addresses. Throws AddressRefused if any of them is not permitted, and
 * OutboundError for a name that doesn't resolve now.
 */
export async function permittedAddresses(hostname: string, port: number): Promise<ResolvedAddress[]> {
  const host = unbracketed(hostname);
  const isAllowed = isListed(hostname, port);
  const version = isIP(host);
  if (version !== 0) {
    if (!isAllowed) check(host, false);
    return [{ address: host, family: version === 4 ? 4 : 6 }];
  }
  if (isLocalhostName(host) && !isAllowed) check("127.0.0.1", false);
  const found = await resolved(host);
  if (!isAllowed) for (const { address } of found) check(address, true);
  return found;
}

/** Resolves a host that the operator chose: it may be anywhere. Throws OutboundError. */
export async function anyAddresses(hostname: string): Promise<ResolvedAddress[]> {
  const host = unbracketed(hostname);
  const version = isIP(host);
  return version === 0 ? resolved(host) : [{ address: host, family: version === 4 ? 4 : 6 }];
}

async function resolved(host: string): Promise<ResolvedAddress[]> {
  try {
    const found = await dns.lookup(host, { all: true });
    if (found.length > 0)
      return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  } catch (error) {
    const { code } = error as { code?: string };
    throw new OutboundError(code ?? "ENOTFOUND");
  }
  throw new OutboundError("ENOTFOUND");
}

/** A resolver for one connection, which knows these addresses alone. */
export const onlyThese =
  (addresses: ResolvedAddress[]): LookupFunction =>
  (_hostname, options, done) => {
    const [first] = addresses;
    if (options.all) done(null, addresses);
    else if (first) done(null, first.address, first.family);
    else done(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "", 4);
  };

/** Milliseconds in which a destination is resolved when it is chosen. */
const CHECK_TIMEOUT = 3_000;

/**
 * Checks a destination when it is chosen. Throws AddressRefused. A name that doesn't resolve now is accepted, since the
 * machine may be offline; it is checked at each delivery too.
 */
export async function checkDestination(url: URL): Promise<void> {
  const timeout = Bun.sleep(CHECK_TIMEOUT).then(() => []);
  await Promise.race([permittedAddresses(url.hostname, portOf(url)), timeout]).catch((error) => {
    if (!(error instanceof OutboundError)) throw error;
  });
}
