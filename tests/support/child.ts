/**
 * The program that the tests start: the real one, with a clock that the test can move, and jobs that it can run before their
 * time. The parent sends `{ aheadBy: milliseconds, leaptBy: milliseconds }` or `{ jobsEvery: milliseconds }` over Bun's IPC
 * and gets the same message back once the clock shows it, or these jobs have run. `leaptBy` is the part of it that didn't go
 * by: the clock was set. Passwords are hashed at the least cost that there is, unless `TEST_HASHES` says "full": a run of all
 * tests hashes thousands.
 */
import { setHashCost } from "../../src/kernel/crypto/crypto";
import { setClock } from "../../src/kernel/time/clock";

const { TEST_CLOCK_AHEAD = "0", TEST_HASHES } = process.env;
if (TEST_HASHES !== "full") setHashCost({ memoryCost: 8, timeCost: 1, parallelism: 1 });
const move = (aheadBy: number, leaptBy = 0): void =>
  setClock(
    () => Date.now() + aheadBy,
    () => Date.now() + aheadBy - leaptBy,
  );
if (TEST_CLOCK_AHEAD !== "0") move(Number(TEST_CLOCK_AHEAD));

process.on("message", async (message: { aheadBy: number; leaptBy: number } | { jobsEvery: number }) => {
  if ("jobsEvery" in message) await (await import("../../src/jobs")).runJobs(message.jobsEvery);
  else move(message.aheadBy, message.leaptBy);
  process.send?.(message);
});

await import("../../src/main");
