import { networkInterfaces } from "node:os";
import { config, configSources, publicUrl } from "../../configuration/config";
import { authorityOf } from "../values/authority";
import { isLoopback, listeningServer } from "./client";
import { leadsToItself } from "./reachable-url";

/** The addresses by which this machine, and others in its networks, may reach the server. */

/** True if no other machine reaches the server directly. */
export const listensToItselfAlone = (): boolean => isLoopback(config["server.host"]);

const LISTENS_ON_ALL = ["0.0.0.0", "::"];

/** Addresses by which other machines may reach the server, the configured one first. */
export function reachableAddresses(): string[] {
  const url = new URL(publicUrl());
  const configured = leadsToItself(url) ? [] : [publicUrl().replace(/\/+$/, "")];
  return [...configured, ...ownAddresses(listeningServer()?.port ?? config["server.port"])];
}

/**
 * URLs without a slash at their end, those by IPv4 first; empty while the server listens to this machine alone. A network of
 * containers may give one that nobody outside reaches.
 */
export function ownAddresses(port: number): string[] {
  if (listensToItselfAlone()) return [];
  const host = config["server.host"];
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    // Those of a link alone need a zone, which no URL has.
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
    .filter(({ address }) => LISTENS_ON_ALL.includes(host) || address === host)
    .filter(({ family }) => family === "IPv4" || host !== "0.0.0.0")
    .sort((one, other) => one.family.localeCompare(other.family));
  return found.map(({ address }) => `http://${authorityOf(address, port)}`);
}

/** The server's address for requests from the same machine: loopback if it listens on all addresses. */
export function localAddress(port = config["server.port"]): string {
  const host = config["server.host"];
  return `http://${authorityOf({ "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host, port)}`;
}

/** Hosts that the `localhost` of the default `server.public_url` leads to. */
const LOCALHOST = [...LISTENS_ON_ALL, "127.0.0.1", "localhost"];

/**
 * The address at which a person opens the server: the public one, unless that is the default and leads elsewhere. No URL leads to
 * an IPv6 address with a zone.
 */
export function openedAt(port: number): string {
  const isPublic =
    configSources["server.public_url"] !== "default" || LOCALHOST.includes(config["server.host"]);
  const address = localAddress(port);
  return isPublic || !URL.canParse(address) ? publicUrl() : address;
}
