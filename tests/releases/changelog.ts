/** Reading CHANGELOG.md: Keep a Changelog 1.1.0, and the line by which it names incompatible changes. */

export interface Entry {
  /** "Unreleased", or a version. */
  version: string;
  /** As in 2026-11-22; null for what isn't released. */
  date: string | null;
  /** Kinds of changes ("Changed"), in their order, with the text below each. */
  kinds: Map<string, string>;
}

/** The versions of a changelog, newest first. */
export function entriesOf(changelog: string): Entry[] {
  const [, ...parts] = changelog.split(/^## /m);
  return parts.map((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const [, version = heading, date = null] = /^\[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$/.exec(heading) ?? [];
    const [, ...kinds] = lines.join("\n").split(/^### /m);
    return {
      version,
      date,
      kinds: new Map(
        kinds.map((kind) => {
          const [name = "", ...text] = kind.split("\n");
          return [name, text.join("\n")];
        }),
      ),
    };
  });
}

/**
 * The operations (`listTrips`) and places of schemas (`GpsPoint.speed_kmh`) that versions name as changed incompatibly: what
 * stands in backquotes in the first sentence of an item that begins with "**Incompatible:**".
 */
export function namedIncompatible(entries: Entry[]): Set<string> {
  const items = entries
    .flatMap(({ kinds }) => ["Changed", "Removed"].map((kind) => kinds.get(kind) ?? ""))
    .flatMap((text) => text.split(/^- /m))
    .filter((item) => item.startsWith("**Incompatible:**"))
    .map((item) => item.split(/[:.](?:\s|$)/)[0] ?? "");
  return new Set(items.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)));
}
