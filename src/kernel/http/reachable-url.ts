import { config, publicUrl } from "../../configuration/config";
import { AppError, invalid } from "../errors/errors";
import { isLoopback } from "./client";
import { hasQueryOrFragment, hrefOf, parseWebAddress, webAddress } from "./web-address";

/** The address of this server as another machine reaches it, for links and QR codes. */

/** The field of a request by which a caller names that address. */
export const baseUrl = () =>
  webAddress(
    "Address at which the app reaches this server, if not `server.public_url`: without query and fragment, and no address of the server's own machine",
    "https://boat.example.org",
  );

/**
 * The address without a slash at its end: the given one, else `server.public_url`. Throws 409 for one that leads another
 * machine to itself, and 400 for a query or a fragment.
 */
export function reachableUrl(given: string | null | undefined): string {
  const url = parseWebAddress(given ?? publicUrl());
  if (!url) throw invalid("/base_url", "must be an absolute http or https URL without user and password");
  if (hasQueryOrFragment(url)) throw invalid("/base_url", "must have no query and no fragment");
  if (leadsToItself(url)) throw new AppError("PublicUrlNeeded", advice(given));
  return hrefOf(url.href).replace(/\/+$/, "");
}

/** True for an address that leads each machine to itself. */
export function leadsToItself({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isLoopback(host) || /(?:^|\.)localhost\.?$/.test(host) || host === "0.0.0.0" || host === "::";
}

const advice = (given: string | null | undefined): string => {
  const address = `an address that other machines reach, such as http://192.168.1.10:${config["server.port"] || 3000} or https://boat.example.org`;
  return given
    ? `base_url leads each machine to itself; send ${address}`
    : `Links and QR codes need the address of this server: set server.public_url (FAIRLEAD_SERVER_PUBLIC_URL), or send base_url, to ${address}`;
};
