import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Window } from "../../src/mqtt/window";

/** The place in the feed never passes a message that is not acknowledged. */

const nextTurn = () => new Promise((turn) => setImmediate(turn));

/** A message that the test acknowledges or refuses. */
function message() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { send: () => promise, acknowledge: resolve, refuse: reject };
}

describe("the place", () => {
  test("moves on over changes without messages, and waits for each message, in whatever order they are acknowledged", async () => {
    const window = new Window(10, () => {});
    const [a, b, c] = [message(), message(), message()];
    await window.add(11, []);
    expect(window.acknowledged).toBe(11);
    await window.add(12, [a.send, b.send]);
    await window.add(13, []);
    await window.add(14, [c.send]);
    c.acknowledge();
    await nextTurn();
    expect(window.acknowledged).toBe(11);
    a.acknowledge();
    await nextTurn();
    expect(window.acknowledged).toBe(11);
    b.acknowledge();
    await nextTurn();
    expect(window.acknowledged).toBe(14);
    await window.settled();
  });

  test("stays before a message that is refused, of which all that follows hears", async () => {
    let calls = 0;
    const window = new Window(0, () => calls++);
    const [a, b, c] = [message(), message(), message()];
    await window.add(1, [a.send]);
    await window.add(2, [b.send]);
    await window.add(3, [c.send]);
    b.refuse(new Error("no"));
    a.acknowledge();
    c.acknowledge();
    await nextTurn();
    expect([window.acknowledged, window.failedAt]).toEqual([1, 2]);
    expect(calls).toBe(2);
    expect(window.add(4, [])).rejects.toThrow("no");
    expect(window.settled()).rejects.toThrow("no");
    expect(() => window.check()).toThrow("no");
  });

  test("holds back more than two hundred changes under way", async () => {
    const window = new Window(0, () => {});
    const messages = Array.from({ length: 250 }, message);
    let added = 0;
    const adding = (async () => {
      for (const { send } of messages) {
        await window.add(added + 1, [send]);
        added++;
      }
    })();
    await nextTurn();
    expect(added).toBe(199);
    messages[0]?.acknowledge();
    await nextTurn();
    expect(added).toBe(200);
    for (const { acknowledge } of messages) acknowledge();
    await adding;
    await window.settled();
    expect(window.acknowledged).toBe(250);
  });

  test("is that of a plain model, whatever happens in whatever order", async () => {
    const counts = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(counts, fc.infiniteStream(fc.nat()), async (sizes, order) => {
        const window = new Window(0, () => {});
        const changes = sizes.map((size) => Array.from({ length: size }, message));
        const open = changes.map((messages) => messages.length);
        for (const [at, messages] of changes.entries())
          await window.add(
            at + 1,
            messages.map(({ send }) => send),
          );
        const left = changes.flatMap((messages, at) => messages.map((each) => ({ each, at })));
        while (left.length > 0) {
          const [picked] = left.splice((order.next().value as number) % left.length, 1);
          if (!picked) break;
          picked.each.acknowledge();
          open[picked.at] = (open[picked.at] ?? 0) - 1;
          await nextTurn();
          const first = open.findIndex((count) => count > 0);
          expect(window.acknowledged).toBe(first === -1 ? changes.length : first);
        }
      }),
      { numRuns: 40 },
    );
  });
});
