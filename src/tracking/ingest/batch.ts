import type { Caller } from "../../identity/access/caller";
import { AppError, forbidden, invalid } from "../../kernel/errors/errors";
import { checkerOf } from "../../kernel/http/schema";
import { isObject } from "../../kernel/values/json";
import type { Fix, Outcome, Reading } from "./fix";
import { takePositions } from "./limit";
import { deviceOf, recordPositions } from "./record";
import { type BatchAnswer, BatchPosition, type NewBatch } from "./schema";

const isPosition = checkerOf(BatchPosition);

/** A malformed position is rejected alone. */
function readPosition(value: unknown): Reading {
  if (isPosition(value)) return { ...value, time: value.timestamp } satisfies Fix;
  return { rejected: isObject(value) && (value.timestamp ?? null) === null ? "no_time" : "malformed" };
}

/**
 * Records up to 1,000 positions of one device, and tells the fate of each. Throws 400 where no device is named and the
 * caller has none, 403 where the caller may not name one, and 429 with nothing stored beyond the limit of positions.
 */
export async function recordBatch(caller: Caller, { device_id, positions }: NewBatch): Promise<BatchAnswer> {
  const deviceId = deviceOf(caller, device_id);
  if (deviceId === null) {
    if (device_id === undefined || device_id === null)
      throw invalid("/device_id", "is required, since the credential belongs to no device");
    throw forbidden("This needs the permission devices:write, or the API key of the device");
  }
  const wait = takePositions(caller.id, positions.length);
  if (wait !== null)
    throw new AppError("TooManyRequests", `Too many positions; try again in ${wait} s`, {
      headers: { "retry-after": String(wait) },
    });
  const outcomes = await recordPositions("batch", deviceId, positions.map(readPosition));
  const number = (status: Outcome["status"]) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  return {
    stored: number("stored"),
    duplicates: number("duplicate"),
    rejected: number("rejected"),
    results: outcomes.map((outcome, index) => ({
      index,
      status: outcome.status,
      id: outcome.status === "rejected" ? null : outcome.id,
      reason: outcome.status === "rejected" ? outcome.reason : null,
    })),
  };
}
