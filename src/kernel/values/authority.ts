/** HOST:PORT as a URL has it: an IPv6 address is in brackets. */
export const authorityOf = (host: string, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;
