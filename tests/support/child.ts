/**
 * The program that the tests start: the real one, with a clock that the test can move. The parent sends `{
 * aheadBy: milliseconds }` over Bun's IPC and gets the same message back once the clock shows it.
 */
import { setClock } from "../../src/kernel/time/clock";

const { TEST_CLOCK_AHEAD = "0" } = process.env;
if (TEST_CLOCK_AHEAD !== "0") setClock(() => Date.now() + Number(TEST_CLOCK_AHEAD));

process.on("message", (message: { aheadBy: number }) => {
  setClock(() => Date.now() + message.aheadBy);
  process.send?.(message);
});

await import("../../src/main");
