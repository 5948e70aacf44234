import { expect, test } from "bun:test";
import { inTurns } from "../../../src/kernel/limits/turns";

/** Resolves after so many turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((go) => setImmediate(go));
}

test("one piece of work begins in each turn, the first at once, and addresses take turns", async () => {
  const nextTurn = inTurns();
  const begun: string[] = [];
  const all = ["a1", "a2", "a3", "b1", "b2", "c1"].map(async (piece) => {
    await nextTurn(piece.slice(0, 1));
    begun.push(piece);
  });
  await Promise.resolve();
  expect(begun).toEqual(["a1"]);
  const progress: number[] = [];
  while (begun.length < all.length) {
    progress.push(begun.length);
    await turns(1);
  }
  for (const [at, count] of progress.entries())
    expect(count).toBeLessThanOrEqual((progress[at - 1] ?? 0) + 1);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
});

test("more than may wait are refused, of an address and in all, and are taken again later", async () => {
  const nextTurn = inTurns({ line: { ofAddress: 2, inAll: 3, refusal: "Too many" } });
  const taken = ["a", "a", "a"].map((address) => nextTurn(address));
  const expectRefused = (address: string) => expect(() => nextTurn(address)).toThrow("Too many");
  expectRefused("a");
  taken.push(nextTurn("b"));
  expectRefused("c");
  await Promise.all(taken);
  await turns(2);
  await Promise.all(["a", "a", "a"].map((address) => nextTurn(address)));
});

test("pieces begin in a turn up to its weight, a heavy one still in it, and light ones go at once", async () => {
  const nextTurn = inTurns({ ofTurn: 10 });
  const begun: string[] = [];
  const begin = async (piece: string, weight: number) => {
    await nextTurn(() => piece.slice(0, 1), weight);
    begun.push(piece);
  };
  const all = [
    begin("a1", 4),
    begin("a2", 5),
    begin("a3", 100),
    begin("a4", 6),
    begin("a5", 6),
    begin("b1", 3),
  ];
  await Promise.resolve();
  expect(begun).toEqual(["a1", "a2", "a3"]);
  const seen = [begun.length];
  while (begun.length < all.length) {
    await turns(1);
    if (begun.length > Number(seen.at(-1))) seen.push(begun.length);
  }
  expect(begun).toEqual(["a1", "a2", "a3", "a4", "b1", "a5"]);
  expect(seen.length).toBeLessThanOrEqual(2);
});
