import { networkInterfaces } from "node:os";
import { config, publicUrl } from "../../configuration/config";
import { isLoopback, listeningServer } from "./client";
import { leadsToItself } from "./reachable-url";

/** The addresses of this machine in its networks, by which others may reach the server. */

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
  return found.map(({ family, address }) => `http://${family === "IPv6" ? `[${address}]` : address}:${port}`);
}
