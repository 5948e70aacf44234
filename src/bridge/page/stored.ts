import { type Signal, signal } from "@preact/signals";

/** Choices that the browser keeps. Where it keeps none (private windows, a policy), they last as long as the page. */

const PREFIX = "fairlead.";

function read(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // It lasts as long as the page.
  }
}

/** A choice among some values, kept under a name. */
export function stored<const T extends string>(name: string, values: readonly T[], otherwise: T): Signal<T> {
  const kept = read(name);
  const found = signal<T>(values.find((value) => value === kept) ?? otherwise);
  found.subscribe((value) => write(name, value));
  return found;
}

/** Names that were chosen, kept under a name. */
export function storedNames(name: string): Signal<ReadonlySet<string>> {
  const kept = read(name)?.split("\n") ?? [];
  const found = signal<ReadonlySet<string>>(new Set(kept.filter((each) => each !== "")));
  found.subscribe((value) => write(name, [...value].join("\n")));
  return found;
}
