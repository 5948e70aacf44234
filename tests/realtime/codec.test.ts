import { describe, expect, test } from "bun:test";
import {
  decode as decodePayload,
  encode,
  fromTimestamp,
  type Message,
  type PayloadName,
  type Payloads,
  toTimestamp,
} from "../../proto/fairlead/ws/v1/codec";
import { headOf } from "../../src/realtime/envelope";
import { Envelope, frame, schema } from "../support/protobuf";

/** Decoding frames and times, by rule W4 and proto3's rules on absent fields. */

const decode = (bytes: Uint8Array): Message | string => {
  const head = headOf(bytes);
  return typeof head === "string" ? head : decodePayload(head);
};

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
    // Each empty list is a separate array.
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

describe("the head of a frame", () => {
  /** The library's decoding of the whole frame. */
  function decoded(bytes: Uint8Array): { type: number; payload?: string } | null {
    try {
      return Envelope.decode(bytes) as unknown as { type: number; payload?: string };
    } catch {
      return null;
    }
  }

  test("names the payload that the whole frame holds, whatever was done to it", () => {
    const parts = [
      frame("ping"),
      frame("subscribe", { channel: "gps" }),
      frame("moderationEvent", { requestId: "1", timestamp: { seconds: 1 } }, 0),
      frame("communitySyncResponse", { requestId: "1", members: [{ userId: "1" }, {}] }),
      new Uint8Array([(15 << 3) | 3, 8, 1, (15 << 3) | 4]),
    ];
    const none = new Uint8Array();
    const pairs = parts.flatMap((one) => [none, ...parts].map((other) => new Uint8Array([...one, ...other])));
    const flips = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff];
    const changed = pairs.flatMap((pair) => [
      pair,
      ...pair.keys().map((end) => pair.slice(0, end)),
      ...pair.keys().flatMap((at) => flips.map((flip) => pair.with(at, (pair[at] ?? 0) ^ flip))),
    ]);
    expect(changed.length).toBeGreaterThan(3_000);
    for (const bytes of changed) {
      const whole = decoded(bytes);
      const head = headOf(bytes);
      // A payload may be broken beyond its head, which is all that was read.
      if (whole === null) continue;
      if (whole.payload === undefined) expect(head).toBe("The envelope holds no payload");
      else if (typeof head === "string")
        expect(head).toBe(`The type ${whole.type} contradicts the payload ${whole.payload}`);
      else expect(head.name).toBe(whole.payload as PayloadName);
    }
  });

  test("leaves of several pieces of a payload what they are together", () => {
    const [one, other] = [
      { requestId: "1", members: [{ userId: "1" }] },
      { members: [{}], more: true },
    ];
    const pieces = [one, other].map((part) => frame("communitySyncResponse", part));
    const part = payloadOf(new Uint8Array(pieces.flatMap((piece) => [...piece])));
    expect(part).toMatchObject({ requestId: "1", members: [{ userId: "1" }, { userId: "" }], more: true });
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
