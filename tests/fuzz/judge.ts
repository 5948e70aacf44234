/** Claims that hold for every answer to any request. */

/** Words that only occur inside the server. */
const INSIDE =
  /\bat .*\.[jt]s\b|SQLITE|\bSELECT |INSERT INTO|DELETE FROM|node_modules|\/src\/|\/tmp\/|\.ts:\d|bun:|\bBun\b|elysia|typebox|drizzle|TypeError|RangeError|ReferenceError|\[object Object\]|undefined is not/i;

/** Throws when a text holds a word from the inside of the server. */
export function claimDiscreet(text: string): void {
  const told = INSIDE.exec(text);
  if (told)
    throw new Error(`a word from the inside: ${text.slice(Math.max(0, told.index - 80), told.index + 80)}`);
}

/** Throws unless an answer carries the headers of every answer, and tells nothing of the inside. */
export function claimSane(status: number, headers: Headers, text: string): void {
  if (headers.get("x-request-id") === null)
    throw new Error(`no X-Request-Id: ${status} ${text.slice(0, 200)}`);
  if (headers.get("x-content-type-options") !== "nosniff") throw new Error("no X-Content-Type-Options");
  if (headers.has("server") || headers.has("x-powered-by")) throw new Error("a server banner");
  // A list shows stored values, which may be anything.
  claimDiscreet(status < 300 ? "" : text);
  // A request id is random letters, or the client's own.
  const told = [...headers].filter(([name]) => name !== "x-request-id").map(([, value]) => value);
  claimDiscreet(told.join("\n"));
}
