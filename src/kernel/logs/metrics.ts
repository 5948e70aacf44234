/**
 * Counters and gauges in Prometheus' text format (version 0.0.4). Any module registers its own:
 * `const recorded = counter("fairlead_things_total", "Things so far")`, then `recorded.add()`; or
 * `gauge("fairlead_queue", "What waits", () => queue.length)`, which is read at each scrape.
 *
 * Written by hand, since prom-client makes a text of the labels at each count and so costs a request 5 µs;
 * here a child is looked up in a map. Labels must have few values: never a path, an address or an identifier
 * of a record.
 */

export type Labels = Record<string, string | number>;

type MetricType = "counter" | "gauge" | "histogram";

/** By name. `samples` gives the lines without the head. */
const families = new Map<string, { help: string; type: MetricType; samples: () => string[] }>();

/** Registers a family of any kind. Throws if the name is taken. */
export function register(name: string, help: string, type: MetricType, samples: () => string[]): void {
  if (families.has(name)) throw new Error(`the metric ${name} is registered twice`);
  families.set(name, { help, type, samples });
}

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** One line of an exposition. */
export function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, label]) => `${key}="${escaped(String(label))}"`);
  const text = value === Infinity ? "+Inf" : String(value);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${text}`;
}

/** A count that only rises. */
export class Counter {
  value = 0;

  add(by = 1): void {
    this.value += by;
  }
}

/** Observations by upper bound, and their sum. */
export class Histogram {
  readonly #bounds: readonly number[];
  /**
   * Observations above the previous bound and at most this one; the last entry counts those above all bounds.
   */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] as number)) at++;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += value;
  }

  lines(name: string, labels: Labels): string[] {
    let total = 0;
    const buckets = [...this.#bounds.map(String), "+Inf"].map((le, at) => {
      total += this.#counts[at] as number;
      return sample(`${name}_bucket`, { ...labels, le }, total);
    });
    return [...buckets, sample(`${name}_sum`, labels, this.#sum), sample(`${name}_count`, labels, total)];
  }
}

/** Children of a family by the value of one label, made as they are first needed. */
export class Children<Key extends string | number, Child> {
  readonly #children = new Map<Key, Child>();
  readonly #make: () => Child;

  constructor(make: () => Child) {
    this.#make = make;
  }

  of(key: Key): Child {
    let child = this.#children.get(key);
    if (child === undefined) {
      child = this.#make();
      this.#children.set(key, child);
    }
    return child;
  }

  entries(): [Key, Child][] {
    return [...this.#children];
  }
}

export function counter(name: string, help: string): Counter {
  const child = new Counter();
  register(name, help, "counter", () => [sample(name, {}, child.value)]);
  return child;
}

/** Counters told apart by a label. */
export function counters<Key extends string | number>(
  name: string,
  help: string,
  label: string,
): Children<Key, Counter> {
  const children = new Children<Key, Counter>(() => new Counter());
  register(name, help, "counter", () =>
    children.entries().map(([key, child]) => sample(name, { [label]: key }, child.value)),
  );
  return children;
}

/** A value read at each scrape; null leaves it out. */
export function gauge(name: string, help: string, read: () => number | null): void {
  register(name, help, "gauge", () => {
    const value = read();
    return value === null ? [] : [sample(name, {}, value)];
  });
}

/** A count kept elsewhere. */
export function counted(name: string, help: string, read: () => number | null): void {
  register(name, help, "counter", () => {
    const value = read();
    return value === null ? [] : [sample(name, {}, value)];
  });
}

/** Gauges told apart by labels, all read at each scrape. */
export function gauges(name: string, help: string, read: () => [labels: Labels, value: number][]): void {
  register(name, help, "gauge", () => read().map(([labels, value]) => sample(name, labels, value)));
}

export function histogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const child = new Histogram(bounds);
  register(name, help, "histogram", () => child.lines(name, {}));
  return child;
}

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * All families, as a scraper reads them. One that can't be read now, such as one of a database that is down,
 * is left out.
 */
export function exposition(): string {
  const lines = [...families].flatMap(([name, { help, type, samples }]) => {
    try {
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples()];
    } catch {
      return [];
    }
  });
  return `${lines.join("\n")}\n`;
}
