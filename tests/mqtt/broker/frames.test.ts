import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { generate, type Packet, parser } from "mqtt-packet";
import { Frames, LARGEST_PACKET } from "../../../src/mqtt/broker/frames";

/** Bytes of a broker are passed on in bounded pieces, whatever they are. */

/** Passes chunks through, and returns what came out, the messages that were cut, and the error. */
async function passed(version: 4 | 5, chunks: Buffer[]) {
  let cut = 0;
  const frames = new Frames(version, () => cut++);
  const out: Buffer[] = [];
  let error: Error | null = null;
  frames.on("data", (chunk: Buffer) => out.push(chunk));
  const over = new Promise<void>((done) => {
    frames.on("end", done);
    frames.on("error", (failure) => {
      error = failure;
      done();
    });
  });
  for (const chunk of chunks) {
    if (error) break;
    if (!frames.write(chunk)) await Promise.race([new Promise((drain) => frames.once("drain", drain)), over]);
  }
  frames.end();
  await over;
  return { bytes: Buffer.concat(out), cut, error: error as Error | null };
}

/** Cuts bytes at random places. */
function chunksOf(bytes: Buffer, sizes: number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, next = 0; at < bytes.length; next++) {
    const size = sizes[next % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const publish = (topic: string, payload: Buffer | string, qos: 0 | 1 = 1, messageId = 7): Packet => ({
  ...{ cmd: "publish", topic, payload, qos, retain: true, dup: false },
  ...(qos > 0 && { messageId }),
});

const packet: fc.Arbitrary<Packet> = fc.oneof(
  fc.record({ cmd: fc.constant("pingresp" as const) }),
  fc.record({ cmd: fc.constant("puback" as const), messageId: fc.integer({ min: 1, max: 65_535 }) }),
  fc
    .tuple(
      fc.stringMatching(/^[a-z/]{1,40}$/),
      fc.uint8Array({ maxLength: 400 }),
      fc.constantFrom<0 | 1>(0, 1),
    )
    .map(([topic, payload, qos]) => publish(topic, Buffer.from(payload), qos)),
);
const sizes = fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1, maxLength: 8 });

/** The packets that the library reads out of bytes. */
function read(version: 4 | 5, bytes: Buffer): Packet[] {
  const found: Packet[] = [];
  const reader = parser({ protocolVersion: version });
  reader.on("packet", (each: Packet) => found.push(each));
  reader.on("error", (error: Error) => {
    throw error;
  });
  reader.parse(bytes);
  return found;
}

describe("what a broker sends", () => {
  test("passes as it is, however it is cut", async () => {
    const versions = fc.constantFrom<4 | 5>(4, 5);
    await fc.assert(
      fc.asyncProperty(
        versions,
        fc.array(packet, { maxLength: 300 }),
        sizes,
        async (protocolVersion, packets, cuts) => {
          const bytes = Buffer.concat(packets.map((each) => generate(each, { protocolVersion })));
          const result = await passed(protocolVersion, chunksOf(bytes, cuts));
          expect(result).toEqual({ bytes, cut: 0, error: null });
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([4, 5] as const)(
    "loses the payload of a message that is too large, in version %d, and nothing else",
    async (version) => {
      const options = { protocolVersion: version };
      const large = publish("owntracks/a/b", Buffer.alloc(LARGEST_PACKET, "x"), 1, 513);
      const whole = [
        publish("a", "1"),
        large,
        publish("b", "2", 0),
        publish("c/d", Buffer.alloc(LARGEST_PACKET), 0),
        publish("e", "3"),
      ];
      const bytes = Buffer.concat(whole.map((each) => generate(each, options)));
      for (const size of [1 << 16, 65_537, 3_000_000]) {
        const result = await passed(version, chunksOf(bytes, [size]));
        expect(result.cut).toBe(2);
        expect(result.error).toBeNull();
        const packets = read(version, result.bytes).map((each) => {
          const { topic, payload, qos, messageId } = each as {
            topic: string;
            payload: Buffer;
            qos: number;
            messageId?: number;
          };
          return [topic, String(payload), qos, messageId];
        });
        expect(packets).toEqual([
          ["a", "1", 1, 7],
          ["owntracks/a/b", "", 1, 513],
          ["b", "2", 0, undefined],
          ["c/d", "", 0, undefined],
          ["e", "3", 1, 7],
        ]);
      }
    },
  );

  test("ends the connection where it is a large packet of another kind, or no packet", async () => {
    const large = Buffer.from([0x90, 0x80, 0x80, 0x80, 0x01]);
    expect((await passed(5, [large])).error?.message).toBe("it sends packets that are too large");
    const endless = Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01]);
    expect((await passed(5, [endless])).error?.message).toBe("it does not speak MQTT");
  });

  test("is never held: random bytes pass, or end the connection", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 20_000 }), sizes, async (bytes, cuts) => {
        const result = await passed(5, chunksOf(Buffer.from(bytes), cuts));
        if (result.error === null) expect(result.bytes.length).toBeLessThanOrEqual(bytes.length + 1);
      }),
      { numRuns: 100 },
    );
  });
});
