import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { advance, extentOf } from "./clock";
import type { Way } from "./way";

/** The replay: its clock, and how it runs. There is one, as there is one map. */
export interface Replay {
  /** Unix seconds; null while there is nothing to replay. */
  readonly time: ReadonlySignal<number | null>;
  readonly isPlaying: Signal<boolean>;
  /** The pace, as a multiple of that of life. */
  readonly rate: Signal<number>;
  /** True while the map follows the first device. */
  readonly follows: Signal<boolean>;
}

const time = signal<number | null>(null);
let ways: readonly Way[] = [];

export const replay: Replay = { time, isPlaying: signal(false), rate: signal(10), follows: signal(false) };

/** Moves the clock to a time, as far as there is anything to replay; null moves nothing. */
export function seek(to: number | null): void {
  const extent = extentOf(ways);
  if (to !== null && extent) time.value = Math.max(extent.from, Math.min(extent.to, to));
}

/** Plays on, or stops. At the end it begins anew. */
export function toggle(): void {
  const extent = extentOf(ways);
  if (!extent) return;
  if (!replay.isPlaying.peek() && (time.peek() ?? 0) >= extent.to) time.value = extent.from;
  replay.isPlaying.value = !replay.isPlaying.peek();
}

/** Milliseconds between two moves of the clock: smooth, and no burden for a tablet. */
const FRAME = 50;
/** A page that was hidden goes on where it was. */
const MOST = 500;

/** Runs while it is played. Returns the function that ends it. */
function run(): () => void {
  let last = performance.now();
  let frame = requestAnimationFrame(function next(now) {
    frame = requestAnimationFrame(next);
    if (now - last < FRAME) return;
    const seconds = (Math.min(MOST, now - last) / 1_000) * replay.rate.peek();
    last = now;
    const before = time.peek();
    if (before === null) return;
    time.value = advance(ways, before, seconds);
    if (time.value >= (extentOf(ways)?.to ?? 0)) replay.isPlaying.value = false;
  });
  return () => cancelAnimationFrame(frame);
}

/** Replays ways as long as the panel shows them: from their beginning, or from where it was. */
export function useReplay(given: readonly Way[]): void {
  const isPlaying = replay.isPlaying.value;
  useEffect(() => {
    ways = given;
    const extent = extentOf(given);
    const at = time.peek();
    if (!extent) time.value = null;
    else if (at === null || at < extent.from || at > extent.to) time.value = extent.from;
    if (!extent) replay.isPlaying.value = false;
  }, [given]);
  useEffect(() => (isPlaying ? run() : undefined), [isPlaying]);
  useEffect(
    () => () => {
      replay.isPlaying.value = false;
      replay.follows.value = false;
      time.value = null;
      ways = [];
    },
    [],
  );
}
