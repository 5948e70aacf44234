import { computed, signal } from "@preact/signals";

/** The place in the page, kept behind the # of its address: `#/devices/ID?tab=shares`. */

export interface Route {
  /** The parts of the path; the first names the view. */
  path: readonly string[];
  query: URLSearchParams;
}

const read = (): string => location.hash.replace(/^#\/?/, "");

/** A part of an address as it was before it was encoded; what can't be decoded stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const address = signal(read());
addEventListener("hashchange", () => {
  address.value = read();
});

export const route = computed<Route>(() => {
  const [path = "", query = ""] = address.value.split("?");
  return {
    path: path
      .split("/")
      .filter((part) => part !== "")
      .map(decoded),
    query: new URLSearchParams(query),
  };
});

/** The address of a place, for links. */
export function to(path: readonly string[], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

/** Goes to a place; with `replace`, the one before is not gone back to. */
export function go(
  path: readonly string[],
  query: Record<string, string | undefined> = {},
  replace = false,
): void {
  const place = to(path, query);
  if (place === location.hash) return;
  if (replace) history.replaceState(null, "", place);
  else history.pushState(null, "", place);
  address.value = read();
}
