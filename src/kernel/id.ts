import { now } from "./clock";

/** A UUIDv7 (RFC 9562, section 5.7) of the program's clock: sorting by identifier is sorting by creation. */
export function newId(): string {
  return Bun.randomUUIDv7("hex", Math.max(0, now()));
}
