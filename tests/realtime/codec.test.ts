import { describe, expect, test } from "bun:test";
import {
  decode,
  encode,
  fromTimestamp,
  type Message,
  type PayloadName,
  type Payloads,
  toTimestamp,
} from "../../src/realtime/codec";
import { Envelope, frame, schema } from "./binary";

/** What the server makes of frames and of times: decisions, section 7; proto3's own rules on what a frame leaves out. */

const payloadOf = (bytes: Uint8Array) => {
  const message = decode(bytes);
  if (typeof message === "string") throw new Error(message);
  return message.payload;
};

const { payload } = Envelope.oneofs as Record<string, { oneof: PayloadName[] }>;
const names = payload?.oneof ?? [];

describe("a message that is read", () => {
  test.each(names)("has all its fields: %s", (name) => {
    const { fieldsArray } = schema.lookupType(Envelope.fields[name]?.type ?? "");
    const empty = { string: "", bool: false, int32: 0, double: 0 } as Record<string, unknown>;
    const expected = fieldsArray.map((field) => {
      if (field.repeated) return [field.name, []];
      if (field.partOf) return [field.name, null];
      if (field.type.endsWith("Scope")) return [field.name, 0];
      return [field.name, field.type in empty ? empty[field.type] : null];
    });
    expect(decode(frame(name))).toEqual({ name, payload: Object.fromEntries(expected) } as Message);
  });

  test("has all the fields of the messages in it", () => {
    const members = [{ userId: "1", roles: ["a", "b"], joinedAt: { nanos: 5 } }, {}];
    const whole = payloadOf(frame("communitySyncResponse", { members })) as Payloads["communitySyncResponse"];
    const read = whole.members;
    const nobody = {
      ...{ guildId: "", userId: "", username: "", discriminator: null, globalName: null, nickname: null },
      ...{ avatar: null, bot: false, system: false, joinedAt: null, premiumSince: null, deaf: false },
      ...{ mute: false, pending: false, communicationDisabledUntil: null, roles: [] as string[] },
    };
    expect(read).toEqual([
      { ...nobody, userId: "1", roles: ["a", "b"], joinedAt: { seconds: 0, nanos: 5 } },
      nobody,
    ]);
    // An empty list is a list of its own.
    read[1]?.roles.push("c");
    const [again] = (payloadOf(frame("communitySyncResponse", { members: [{}] })) as typeof whole).members;
    expect(again?.roles).toEqual([]);
  });

  test("is what was written", () => {
    const sent = {
      ...{ requestId: "r", guildId: "g", userId: "u", moderatorId: "m", action: "ban", reason: null },
      ...{ durationSeconds: 2 ** 52, timestamp: toTimestamp(1_777_887_000_250) },
    };
    expect(payloadOf(encode("moderationEvent", sent))).toEqual(sent);
  });
});

describe("a time", () => {
  test.each([0, 1, 999, 1_000, 1_777_887_000_250, -1, -1_000, 8_640_000_000_000_000])(
    "of %d is itself again",
    (time) => {
      const { seconds, nanos } = toTimestamp(time);
      expect(Number.isInteger(seconds) && nanos >= 0 && nanos < 1_000_000_000).toBe(true);
      expect(fromTimestamp({ seconds, nanos })).toBe(time);
    },
  );

  test.each([
    ["none", null],
    ["one beyond all dates", { seconds: 8_640_000_000_001, nanos: 0 }],
    ["one of broken nanoseconds", { seconds: 0, nanos: -1 }],
    ["one of too many nanoseconds", { seconds: 0, nanos: 1_000_000_000 }],
  ])("is null for %s", (_, timestamp) => {
    expect(fromTimestamp(timestamp)).toBeNull();
  });
});
