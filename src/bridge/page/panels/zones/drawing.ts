import { batch, computed, signal } from "@preact/signals";
import { distanceKm } from "../../map/geometry";
import {
  type At,
  type Corner,
  type Fault,
  type Handle,
  movedCorner,
  type Shape,
  withCorner,
  withoutCorner,
} from "./shape";

/** A zone that is being drawn: its shape, what can be undone, and which corner is chosen. */

/** Steps that can be undone. */
const MOST_STEPS = 200;

export type Drawing = ReturnType<typeof createDrawing>;

/** Begins to draw, from a shape on. */
export function createDrawing(initial: Shape) {
  const shape = signal(initial);
  const steps = signal<readonly Shape[]>([]);
  /** The corner that is chosen; taps add corners to its ring. */
  const chosen = signal<At | null>(null);
  /** The ring that taps add to. */
  const ring = signal(0);
  const fault = signal<Fault | null>(null);

  /** Begins a step: whatever changes until the next one is undone with it. */
  const begin = () => {
    steps.value = [...steps.peek().slice(1 - MOST_STEPS), shape.peek()];
  };
  const set = (changed: Shape) =>
    batch(() => {
      shape.value = changed;
      // It may be mended, and the numbers of corners may be others.
      fault.value = null;
    });
  const change = (changed: Shape) => {
    begin();
    set(changed);
  };
  const choose = (at: At | null) =>
    batch(() => {
      chosen.value = at;
      if (at) ring.value = at.ring;
    });
  const remove = (at: At) =>
    batch(() => {
      change(withoutCorner(shape.peek(), at));
      chosen.value = null;
    });

  return {
    shape,
    chosen,
    ring,
    fault,
    isUndoable: computed(() => steps.value.length > 0),
    isChanged: () => shape.peek() !== initial,
    change,
    choose,
    remove,
    undo: () =>
      batch(() => {
        const before = steps.peek().at(-1);
        if (!before) return;
        steps.value = steps.peek().slice(0, -1);
        set(before);
        chosen.value = null;
        ring.value = Math.min(ring.peek(), before.rings.length - 1);
      }),

    /** A tap beside all handles: the centre of a circle, or one more corner. `km`: a radius that can be seen well. */
    tap: (place: Corner, km: number) => {
      const now = shape.peek();
      if (now.kind === "circle") return change({ ...now, centre: place, radius_km: now.radius_km ?? km });
      const into = now.kind === "corridor" ? 0 : ring.peek();
      const picked = chosen.peek();
      const corners = now.rings[into]?.corners ?? [];
      // Behind the one that is chosen, else at the end.
      const corner = picked?.ring === into ? picked.corner + 1 : corners.length;
      batch(() => {
        change(withCorner(now, { ring: into, corner }, place));
        if (picked?.ring === into) choose({ ring: into, corner });
      });
    },

    /** Takes hold of a handle: a step of its own. Returns what moves with it from now on. */
    grab: (handle: Handle): ((place: Corner) => void) => {
      begin();
      const { ring, corner } = handle;
      if (handle.role === "middle") set(withCorner(shape.peek(), handle, handle.place));
      if (handle.role === "middle" || handle.role === "corner") {
        choose({ ring, corner });
        return (place) => set(movedCorner(shape.peek(), handle, place));
      }
      if (handle.role === "centre") return (centre) => set({ ...shape.peek(), centre });
      return (place) => {
        const now = shape.peek();
        // A circle of nothing is none.
        if (now.centre) set({ ...now, radius_km: Math.max(0.001, metres(distanceKm(now.centre, place))) });
      };
    },
  };
}

/** Kilometres, in whole metres. */
const metres = (km: number): number => Math.round(km * 1_000) / 1_000;
