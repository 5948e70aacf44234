import { spyOn } from "bun:test";

/** Catches this process's log as JSON; `end` returns level, message, source and reason of each line. */
export function captureLog(): { end: () => (string | undefined)[][]; text: () => string } {
  let text = "";
  const spy = spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return {
    text: () => text,
    end() {
      spy.mockRestore();
      return text
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line))
        .map(({ level, message, source, why }) => [level, message, source, why]);
    },
  };
}
