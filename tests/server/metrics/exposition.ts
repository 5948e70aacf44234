/** A strict reader of Prometheus' text format, version 0.0.4: throws at whatever a scraper could stumble over. */

export interface Family {
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const VALUE = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)$/;

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (!match) throw new Error(`not labels: ${text}`);
    const [, name = "", value = ""] = match;
    if (Object.hasOwn(labels, name)) throw new Error(`the label ${name} twice: ${text}`);
    labels[name] = value.replaceAll(/\\(["\\n])/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
  }
  return labels;
}

/** The families of an exposition by name. */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: [name: string, family: Family] | null = null;
  for (const line of text.slice(0, -1).split("\n")) {
    const head = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (head) {
      const [, kind, name = "", rest = ""] = head;
      if (!NAME.test(name)) throw new Error(`not a name: ${name}`);
      if (kind === "HELP") {
        if (families.has(name)) throw new Error(`${name} twice`);
        current = [name, { type: "", help: rest, samples: [] }];
        families.set(...current);
      } else {
        if (current?.[0] !== name || current[1].type !== "") throw new Error(`TYPE out of place: ${line}`);
        if (!/^(counter|gauge|histogram)$/.test(rest)) throw new Error(`not a type: ${line}`);
        current[1].type = rest;
      }
      continue;
    }
    const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
    if (!current || !VALUE.test(value)) throw new Error(`not a sample: ${line}`);
    const [family, { type, samples }] = current;
    const ends = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    if (!ends.some((end) => name === family + end)) throw new Error(`${name} does not belong to ${family}`);
    const sample = { name, labels: labelsOf(labels), value: Number(value.replace("Inf", "Infinity")) };
    const identity = `${name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(identity)) throw new Error(`twice: ${line}`);
    seen.add(identity);
    if (type !== "gauge" && !(sample.value >= 0)) throw new Error(`a count below 0: ${line}`);
    samples.push(sample);
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;
}

/** Buckets must rise, the last must hold the total, and each series must have its sum and count. */
function checkHistogram(name: string, { samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels: { le, ...labels } }) => JSON.stringify(labels));
  for (const [labels, parts] of series) {
    const buckets = parts.filter((part) => part.name === `${name}_bucket`);
    const bounds = buckets.map((bucket) => Number(bucket.labels.le?.replace("+Inf", "Infinity")));
    const counts = buckets.map((bucket) => bucket.value);
    const [count] = parts.filter((part) => part.name === `${name}_count`);
    const rises = (values: number[], strictly: boolean) =>
      values.every((value, at) => {
        const before = values[at - 1];
        return before === undefined || (strictly ? value > before : value >= before);
      });
    if (!rises(bounds, true) || bounds.at(-1) !== Number.POSITIVE_INFINITY || !rises(counts, false))
      throw new Error(`the buckets of ${name} ${labels}`);
    if (counts.at(-1) !== count?.value || !parts.some((part) => part.name === `${name}_sum`))
      throw new Error(`sum and count of ${name} ${labels}`);
  }
}
