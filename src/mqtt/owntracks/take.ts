import { publish } from "../../kernel/db/events";
import { AppError } from "../../kernel/errors/errors";
import { logFailure, mayLog } from "../../kernel/errors/trouble";
import { BilingualError } from "../../kernel/values/bilingual";
import { jsonOf, MOST_VALUES } from "../../tracking/doors/content";
import { deviceNamed } from "../../tracking/doors/forwarded";
import type { Outcome, Reading, Rejection } from "../../tracking/ingest/fix";
import { readOwnTracks } from "../../tracking/ingest/formats/owntracks";
import { recordPositions, UNSTORABLE } from "../../tracking/ingest/record";
import type { Incoming } from "../broker/session";
import { counts, noteTrouble } from "../broker/state";

/**
 * Locations that the apps of OwnTracks publish at `owntracks/<user>/<device>` (OwnTracks Booklet, "Topics"). The broker decides
 * who may publish there.
 */

/** The filter of locations; other messages of the apps have topics below these. */
export const OWNTRACKS_FILTER = "owntracks/+/+";

const TOPIC = /^owntracks\/([^/]+\/[^/]+)$/;

export const isOfOwnTracks = (topic: string): boolean => TOPIC.test(topic);

/** Counts a message without a position that could be stored. */
function reject(reason: Rejection): void {
  publish("gps.taken", { source: "mqtt", outcomes: [{ status: "rejected", reason }] });
  counts.received.of(reason === "unknown_device" ? reason : "rejected").add();
}

function readingsOf(payload: Buffer): Reading[] {
  const content = jsonOf(payload, MOST_VALUES.single);
  return "reason" in content ? [{ rejected: content.reason }] : readOwnTracks(content.value, null);
}

/**
 * Stores what an app has published as a position of the device whose `external_id` is `user/device`. Resolves once it is stored,
 * or never can be; the same message again is a duplicate. Rejects while nothing can be stored: the broker sends it again.
 */
export async function takeOwnTracks({ topic, payload }: Incoming): Promise<void> {
  const name = TOPIC.exec(topic)?.[1] ?? "";
  const readings = readingsOf(payload);
  if (readings.length === 0) return counts.received.of("no_position").add();
  const deviceId = deviceNamed(name);
  if (deviceId === null) return reject("unknown_device");
  try {
    const outcomes = await recordPositions("mqtt", deviceId, readings);
    noteTrouble("store", null);
    for (const outcome of outcomes) countOutcome(outcome);
  } catch (error) {
    // The device was deleted a moment ago.
    if (error instanceof AppError && error.status === 404) return reject("unknown_device");
    noteTrouble("store", UNSTORABLE);
    if (mayLog("positions by MQTT")) logFailure("a position that came by MQTT cannot be stored", error);
    throw new BilingualError(UNSTORABLE);
  }
}

function countOutcome({ status }: Outcome): void {
  counts.received.of(status).add();
}
