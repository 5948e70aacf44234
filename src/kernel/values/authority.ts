import { isIPv6 } from "node:net";

/** HOST:PORT as a URL has it: an IPv6 address is in brackets. */
export const authorityOf = (host: string, port: number): string =>
  `${isIPv6(host) ? `[${host}]` : host}:${port}`;
