import { describe, expect, test } from "bun:test";
import { collect } from "../../../src/kernel/http/body";

/** Pieces of a body in chunks, as the runtime hands them over. */

const KB = 1024;

/** A stream of pieces of these sizes, each filled with its number. */
const streamOf = (sizes: number[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [at, size] of sizes.entries()) controller.enqueue(new Uint8Array(size).fill(at + 1));
      controller.close();
    },
  });

const expected = (sizes: number[]) =>
  Buffer.concat(sizes.map((size, at) => new Uint8Array(size).fill(at + 1)));

describe("a body in pieces is what was sent, and the memory for it is counted:", () => {
  test.each([
    ["none", []],
    ["a small one", [10]],
    ["small ones", [1, 2, 3, 4_000, 5]],
    ["a large one", [64 * KB]],
    ["large ones", [16 * KB, 512 * KB, 16 * KB]],
    ["small before large", [3, 7, 20 * KB]],
    ["large before small", [20 * KB, 3, 7]],
    ["small and large by turns", [5, 16 * KB, 1, 16 * KB - 1, 40 * KB, 9, 9, 300 * KB, 1]],
  ])("%s", async (_, sizes) => {
    let counted = 0;
    const body = await collect(streamOf(sizes), 1024 * KB, (bytes) => {
      expect(bytes).toBeGreaterThan(0);
      counted += bytes;
    });
    const whole = expected(sizes);
    expect(Buffer.compare(Buffer.from(body ?? []), whole)).toBe(0);
    expect(counted).toBeGreaterThanOrEqual(whole.length);
    expect(counted).toBeLessThanOrEqual(2 * whole.length);
  });
});

test("a body beyond its limit is read away, and beyond what is read away refused", async () => {
  const sizes = [10, 20 * KB, 10, 20 * KB];
  expect(await collect(streamOf(sizes), 30 * KB, () => {}, 50 * KB)).toBeNull();
  await expect(collect(streamOf(sizes), 30 * KB, () => {})).rejects.toThrow("larger than 30720 bytes");
  // A body of just the limit is kept.
  const exact = await collect(streamOf([10 * KB, 20 * KB]), 30 * KB, () => {});
  expect(exact?.length).toBe(30 * KB);
});

test("a piece for which there is no room ends the body", async () => {
  const refuse = () => {
    throw new Error("no room");
  };
  await expect(collect(streamOf([100]), 1024 * KB, refuse)).rejects.toThrow("no room");
  await expect(collect(streamOf([100 * KB]), 1024 * KB, refuse)).rejects.toThrow("no room");
});

describe("the memory of pieces is freed at once, as the collector would do far later:", () => {
  const pieces = () => [20, 64, 1, 30].map((size) => new Uint8Array(size * KB));
  const stream = (all: Uint8Array[], error?: Error) => {
    let next = 0;
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = all[next++];
          if (piece) controller.enqueue(piece);
          else if (error) controller.error(error);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  };
  const isFreed = (all: Uint8Array[]) => all.map(({ buffer }) => (buffer as ArrayBuffer).detached);

  test("of a body that is whole", async () => {
    const all = pieces();
    expect((await collect(stream(all), 1024 * KB, () => {}))?.length).toBe(115 * KB);
    expect(isFreed(all)).toEqual([true, true, false, true]);
  });

  test("of one that is read away", async () => {
    const all = pieces();
    expect(await collect(stream(all), 50 * KB, () => {}, 1024 * KB)).toBeNull();
    expect(isFreed(all)).toEqual([true, true, false, true]);
  });

  test("of one that finds no room", async () => {
    const all = pieces();
    const grow = (bytes: number) => {
      if (bytes > 64 * KB) throw new Error("no room");
    };
    await expect(collect(stream(all), 1024 * KB, grow)).rejects.toThrow("no room");
    expect(isFreed(all)).toEqual([true, true, false, false]);
  });

  test("of one whose client leaves", async () => {
    const all = pieces();
    const reading = collect(stream(all, new Error("cut off")), 1024 * KB, () => {});
    await expect(reading).rejects.toThrow("cut off");
    expect(isFreed(all)).toEqual([true, true, false, true]);
  });
});

test("each piece of a request's body has a buffer of its own", async () => {
  const alone: boolean[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch({ body }) {
      for await (const { length, buffer } of body ?? []) alone.push(length === buffer.byteLength);
      return new Response();
    },
  });
  try {
    for (const sizes of [[10], [5, 20 * KB, 5], [300 * KB, 1, 700 * KB]])
      await fetch(server.url, { method: "POST", body: streamOf(sizes) });
    await fetch(server.url, { method: "POST", body: new Uint8Array(1024 * KB) });
  } finally {
    await server.stop(true);
  }
  expect(alone.length).toBeGreaterThan(10);
  expect(alone).not.toContain(false);
});
