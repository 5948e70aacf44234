import ipaddr from "ipaddr.js";

/** Ranges of IP addresses, as an operator lists them: single addresses and CIDR blocks. */

export type Address = ReturnType<typeof ipaddr.process>;
export type Ranges = [range: Address, bits: number][];

/** The ranges of a list whose entries were checked before. */
export const rangesOf = (entries: readonly string[]): Ranges =>
  entries.map((entry) => {
    if (entry.includes("/")) return ipaddr.parseCIDR(entry);
    const address = ipaddr.process(entry);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  });

export const isWithin = (address: Address, ranges: Ranges): boolean =>
  ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
