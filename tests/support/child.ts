/**
 * The program that the tests start: the real one, with a clock that the test can move. The parent sends `{
 * aheadBy: milliseconds, leaptBy: milliseconds }` over Bun's IPC and gets the same message back once the clock
 * shows it. `leaptBy` is the part of it that didn't go by: the clock was set.
 */
import { setClock } from "../../src/kernel/time/clock";

const { TEST_CLOCK_AHEAD = "0" } = process.env;
const move = (aheadBy: number, leaptBy = 0): void =>
  setClock(
    () => Date.now() + aheadBy,
    () => Date.now() + aheadBy - leaptBy,
  );
if (TEST_CLOCK_AHEAD !== "0") move(Number(TEST_CLOCK_AHEAD));

process.on("message", (message: { aheadBy: number; leaptBy: number }) => {
  move(message.aheadBy, message.leaptBy);
  process.send?.(message);
});

await import("../../src/main");
