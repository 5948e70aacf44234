/** A JSON object of unknown shape, from outside. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

/**
 * True for a JSON text of more than so many values (members, items, arrays, objects), counted as commas and as brackets that
 * open; those in texts count too. A megabyte of them takes the parser a quarter of a second.
 */
export function holdsMore(json: string, values: number): boolean {
  let left = values;
  if (json.length <= values) return false;
  for (let at = 0; at < json.length && left >= 0; at++) {
    const code = json.charCodeAt(at);
    if (code === COMMA || code === BRACKET || code === BRACE) left--;
  }
  return left < 0;
}
