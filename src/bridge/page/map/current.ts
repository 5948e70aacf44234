import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Stage } from "./stage";

/** The map once it is there; null before, and where it can't be drawn. Imports nothing of the map itself, which is large. */
export const stage = signal<Stage | null>(null);

/** Draws on the map while a panel is open: `draw` gets the map, and returns the function that takes everything away again. */
export function useStage(draw: (stage: Stage) => () => void, about: readonly unknown[] = []): void {
  const current = stage.value;
  useEffect(() => (current ? draw(current) : undefined), [current, ...about]);
}

/**
 * The map leaves out what a panel draws by itself: the zone and the device's anchor that are being changed, and devices that are
 * shown as they were at another time.
 */
export const drawnElsewhere = {
  zone: signal<string | null>(null),
  anchor: signal<string | null>(null),
  devices: signal<ReadonlySet<string>>(new Set()),
};
