import type { Load } from "./load";

/** The figures of a measurement, taken from its rounds. */

export interface Summary {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Processor time of the server for a request; null where it is not known. */
  processorMicroseconds: number | null;
}

export interface Ratio {
  median: number;
  min: number;
  max: number;
}

/** The middle of some numbers; of an even number of them, the mean of the middle two. */
export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

export const rate = (load: Load): number => load.answered / load.seconds;

export function summarize(loads: (Load & { processorMicroseconds?: number | null })[]): Summary {
  const processor = loads.flatMap(({ processorMicroseconds }) => processorMicroseconds ?? []);
  return {
    requestsPerSecond: median(loads.map(rate)),
    p50: median(loads.map(({ p50 }) => p50)),
    p99: median(loads.map(({ p99 }) => p99)),
    processorMicroseconds: processor.length > 0 ? median(processor) : null,
  };
}

export const spread = (ratios: number[]): Ratio => ({
  median: median(ratios),
  min: Math.min(...ratios),
  max: Math.max(...ratios),
});
