import { effect, signal } from "@preact/signals";
import type { Schemas } from "./api";
import { hear, lineState } from "./live";
import { may, session } from "./session";
import { present } from "./times";

/** Other vessels near by, as the box hears them by AIS. */

export type Vessel = Schemas["Vessel"];

/** All that are near, by MMSI. */
export const vessels = signal<ReadonlyMap<number, Vessel>>(new Map());

/** Milliseconds without a connection after which nothing is known of them any more. */
const LIFETIME = 600_000;

/** Moored, at anchor or aground: such a vessel stays where it is. */
const AT_REST = new Set([1, 5, 6]);
const SLOW_KMH = 0.6;

export const isAtRest = ({ nav_status, speed_kmh }: Vessel): boolean =>
  AT_REST.has(nav_status ?? -1) || speed_kmh < SLOW_KMH;

let listeners = 0;
let end = () => {};

/** Follows the vessels as long as somebody shows them. Returns the function that ends it. */
export function followVessels(): () => void {
  if (++listeners === 1) end = follow();
  return () => {
    if (--listeners === 0) end();
  };
}

function follow(): () => void {
  let lostAt: number | null = null;
  const ends = [
    effect(() => {
      if (session.value !== "open" || !may("gps:read")) return;
      return hear("vessels", {
        onChange: ({ data }) => {
          vessels.value = new Map(data.vessels.map((vessel) => [vessel.mmsi, vessel]));
        },
      });
    }),
    effect(() => {
      if (lineState.value === "live") lostAt = null;
      else lostAt ??= Date.now();
      if (lostAt !== null && present.value - lostAt > LIFETIME) vessels.value = new Map();
    }),
  ];
  return () => {
    for (const each of ends) each();
    vessels.value = new Map();
  };
}
