import { now } from "../time/clock";

/**
 * A UUIDv7 (RFC 9562, section 5.7) of the program's clock: order by identifier is order of creation (rule
 * H12).
 */
export function newId(): string {
  return Bun.randomUUIDv7("hex", Math.max(0, now()));
}
