import type { Server } from "bun";
import ipaddr from "ipaddr.js";
import { config } from "../../configuration/config";
import { type Address, isWithin, type Ranges, rangesOf } from "../values/address-ranges";

/**
 * The client of a request: the listening server, the address behind proxies, and the headers that describe
 * it.
 */

let server: Server<unknown> | null = null;
let trustedProxies: Ranges = [];

/** Gives this module the listening server, which knows the peer of each request. */
export function attachServer(listening: Server<unknown>): void {
  server = listening;
  trustedProxies = rangesOf(config["server.trusted_proxies"]);
}

export function listeningServer(): Server<unknown> | null {
  return server;
}

/**
 * Seconds by which the runtime may cut a connection too early: it looks every four seconds, and rounds up from its last look.
 * A time-out of one to four seconds would cut requests that have just come.
 */
const LOOK_SECONDS = 4;
/** The longest time-out that the runtime takes. */
const MAX_TIMEOUT_SECONDS = 255;

/** The time-out for the runtime with which nothing is cut within so many seconds, as far as the runtime counts them. */
export const timeoutOf = (seconds: number): number =>
  Math.min(Math.ceil(seconds) + LOOK_SECONDS, MAX_TIMEOUT_SECONDS);

/**
 * Does work that may last longer than the idle time-out, which would cut the connection. It counts again afterwards: a time that the
 * runtime was given stays with a connection until its next request. The caller must bound the work.
 */
export async function letWait<T>(request: Request, work: () => T | Promise<T>): Promise<T> {
  server?.timeout(request, 0);
  try {
    return await work();
  } finally {
    letStall(request);
  }
}

/** Cuts a connection on which nothing moves within the idle time-out, even if its request was given more. */
export function letStall(request: Request): void {
  giveSeconds(request, config["server.idle_seconds"]);
}

/** Gives a request so many seconds until something has to move on its connection. */
export function giveSeconds(request: Request, seconds: number): void {
  server?.timeout(request, timeoutOf(seconds));
}

/** Cuts the connection of a request within seconds unless its client hurries. */
export function cutSoon(request: Request): void {
  server?.timeout(request, 1);
}

/** True once the client has the whole answer or has left: the server then no longer knows its peer. */
export function isAnswered(request: Request): boolean {
  return server === null || server.requestIP(request) === null;
}

/** True for this machine alone: `localhost`, or an address of the loopback network. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return bare === "localhost" || (ipaddr.isValid(bare) && ipaddr.process(bare).range() === "loopback");
}

const isTrusted = (address: Address) => isWithin(address, trustedProxies);

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

/** Ranges that no packet crosses the internet from or to; carriers' and VPNs' shared addresses among them (RFC 6598). */
const PRIVATE = ["loopback", "private", "linkLocal", "uniqueLocal", "carrierGradeNat", "unspecified"];
/** Names that only the local network knows: those of RFC 6762, RFC 8375 and common routers, and names without a dot. */
const LOCAL_NAME = /^[^.]+\.?$|\.(?:local|localhost|lan|internal|intranet|home|home\.arpa)\.?$/i;

/** True for an address or a name of a local network. */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(bare) ? PRIVATE.includes(ipaddr.process(bare).range()) : LOCAL_NAME.test(bare);
}

/** True if a request came over plain http from outside of the local network: others can have read it. */
export function cameInClear(request: Request): boolean {
  const peer = server?.requestIP(request)?.address;
  if (peer === undefined || isPrivateHost(clientAddress(request))) return false;
  return isTrusted(ipaddr.process(peer)) ? forwardedProtocol(request) === "http" : true;
}

/** The protocol in which a trusted proxy was addressed; null without a proxy, or if it doesn't say. */
export function forwardedProtocol(request: Request): "http" | "https" | null {
  const peer = trustedProxies.length > 0 ? server?.requestIP(request)?.address : undefined;
  if (peer === undefined || !isTrusted(ipaddr.process(peer))) return null;
  const protocol = request.headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim();
  return protocol === "https" || protocol === "http" ? protocol : null;
}

/**
 * The path below which the ingress of Home Assistant shows this server, without a slash at its end; null for any other request.
 * Like the protocol, it counts from a trusted proxy alone.
 */
export function ingressPath(request: Request): string | null {
  const path = trustedProxies.length > 0 ? request.headers.get("x-ingress-path") : null;
  if (path === null || !INGRESS_PATH.test(path)) return null;
  const peer = server?.requestIP(request)?.address;
  return peer !== undefined && isTrusted(ipaddr.process(peer)) ? path : null;
}
const INGRESS_PATH = /^(?:\/[\w-]{1,128}){1,4}$/;

/** The origin that a request was sent to, as its client wrote it. */
export const originOf = (request: Request): string =>
  `${forwardedProtocol(request) ?? "http"}://${request.headers.get("host")}`;

/** Origin of a request, for audit events and sessions, and the client's preferred languages. */
export interface Client {
  address: string;
  userAgent: string | null;
  /** The Accept-Language header. */
  acceptLanguage: string | null;
  /** True if others than the local network can have read the request. */
  inClear?: boolean;
}

/** Characters of a user agent that are kept: clients may claim anything. */
const MAX_USER_AGENT = 512;

export function clientOf(request: Request): Client {
  const userAgent = request.headers.get("user-agent")?.slice(0, MAX_USER_AGENT) ?? null;
  return {
    address: clientAddress(request),
    userAgent,
    acceptLanguage: request.headers.get("accept-language"),
    inClear: cameInClear(request),
  };
}

/**
 * The key of a limit for an address: an IPv4 address, or the /64 network of an IPv6 one, since a single
 * customer is given that many addresses. Some are given a /48 (RFC 6177).
 */
export function addressBlock(address: string, bits: 64 | 48 = 64): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${network.join(":")}::/${bits}`;
}
