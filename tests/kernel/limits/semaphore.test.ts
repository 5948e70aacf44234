import { expect, test } from "bun:test";
import { type SemaphoreBounds, semaphore } from "../../../src/kernel/limits/semaphore";

/** Pieces of work that end when they are told to. Their names tell whose they are. */
function bench(bounds: SemaphoreBounds) {
  const { run, waiting } = semaphore(bounds);
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const start = (name: string) =>
    run(name.charAt(0), async () => {
      begun.push(name);
      await new Promise<void>((done, fail) => ends.push((error) => (error ? fail(error) : done())));
    }).catch(() => refused.push(name));
  const endOne = async (error?: Error) => {
    ends.shift()?.(error);
    await Bun.sleep(0);
  };
  return { start, endOne, waiting, begun, refused };
}

test("as many pieces run at once as it permits, and the next begins when one ends or fails", async () => {
  const { start, endOne, waiting, begun, refused } = bench({ atOnce: 2 });
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) start(name);
  await Bun.sleep(0);
  expect(begun).toEqual(["a1", "a2"]);
  expect(waiting()).toBe(3);
  await endOne();
  expect(begun).toEqual(["a1", "a2", "a3"]);
  await endOne(new Error("failed"));
  expect([begun.length, waiting(), refused]).toEqual([4, 1, ["a2"]]);
  for (let left = 3; left > 0; left--) await endOne();
  // All places are free again.
  start("a6");
  start("a7");
  start("a8");
  await Bun.sleep(0);
  expect([begun.slice(5), waiting()]).toEqual([["a6", "a7"], 1]);
});

test("who sends many waits for itself", async () => {
  const { start, endOne, begun } = bench({ atOnce: 1 });
  for (const name of ["a1", "a2", "a3", "b1"]) start(name);
  for (let left = 3; left > 0; left--) await endOne();
  expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
});

test("beyond its bound the longest line loses its last, and whoever has that is refused", async () => {
  const line = { most: 3, refusal: () => new Error("too many") };
  const { start, waiting, refused } = bench({ atOnce: 1, line });
  for (const name of ["a1", "a2", "a3", "a4"]) start(name);
  await Bun.sleep(0);
  expect([waiting(), refused]).toEqual([3, []]);
  start("a5");
  await Bun.sleep(0);
  expect(refused).toEqual(["a5"]);
  start("b1");
  await Bun.sleep(0);
  expect([waiting(), refused]).toEqual([3, ["a5", "a4"]]);
});
