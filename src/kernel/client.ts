import type { Server } from "bun";
import ipaddr from "ipaddr.js";
import { config } from "../config";

/** Who is asking: the listening server, the address behind proxies, and what a request tells of its client. */

type Address = ReturnType<typeof ipaddr.process>;
type Range = [Address, number];

let server: Server<unknown> | null = null;
let trustedProxies: Range[] = [];

/** Tells this module the listening server, which knows the peer of each request. */
export function attachServer(listening: Server<unknown>): void {
  server = listening;
  trustedProxies = config["server.trusted_proxies"].map((entry) =>
    entry.includes("/")
      ? ipaddr.parseCIDR(entry)
      : [ipaddr.process(entry), ipaddr.process(entry).kind() === "ipv4" ? 32 : 128],
  );
}

export function listeningServer(): Server<unknown> | null {
  return server;
}

/**
 * Lets a request wait: without it, a connection on which nothing happens is cut after the idle time-out. Whoever calls
 * this bounds the wait.
 */
export function letWait(request: Request): void {
  server?.timeout(request, 0);
}

/** Whether a host is this machine alone: `localhost`, or an address of the loopback network. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return bare === "localhost" || (ipaddr.isValid(bare) && ipaddr.process(bare).range() === "loopback");
}

const isTrusted = (address: Address) =>
  trustedProxies.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));

/**
 * The address of the client. `X-Forwarded-For` counts only when the peer is a trusted proxy, and is read from
 * the right, since everything left of the last untrusted hop may be made up.
 */
export function clientAddress(request: Request): string {
  const peer = server?.requestIP(request)?.address;
  if (peer === undefined) return "unknown";
  const forwarded = trustedProxies.length > 0 ? request.headers.get("x-forwarded-for") : null;
  let address = ipaddr.process(peer);
  for (const hop of forwarded?.split(",").reverse() ?? []) {
    if (!isTrusted(address) || !ipaddr.isValid(hop.trim())) break;
    address = ipaddr.process(hop.trim());
  }
  return address.toString();
}

/** The protocol that a trusted proxy was spoken to with; null when there is none or it doesn't say. */
export function forwardedProtocol(request: Request): "http" | "https" | null {
  const peer = trustedProxies.length > 0 ? server?.requestIP(request)?.address : undefined;
  if (peer === undefined || !isTrusted(ipaddr.process(peer))) return null;
  const protocol = request.headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim();
  return protocol === "https" || protocol === "http" ? protocol : null;
}

/** From where a request came, for audit events and sessions, and the languages that the client prefers. */
export interface Client {
  address: string;
  userAgent: string | null;
  /** The Accept-Language header. */
  acceptLanguage: string | null;
}

/** A user agent is whatever the client claims; more than this is not kept. */
const MAX_USER_AGENT = 512;

export function clientOf(request: Request): Client {
  const userAgent = request.headers.get("user-agent")?.slice(0, MAX_USER_AGENT) ?? null;
  return {
    address: clientAddress(request),
    userAgent,
    acceptLanguage: request.headers.get("accept-language"),
  };
}

/**
 * What a limit counts for an address: an IPv4 address, or the /64 network of an IPv6 one, since a single customer is
 * given that many addresses (RFC 6177).
 */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
