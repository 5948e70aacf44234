import { effect, signal } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { may, session } from "./session";

/** The water level near by, where the server knows one. */

export type Station = Schemas["NearestWaterLevelStation"];

export const nearbyStation = signal<Station | null>(null);

/** Milliseconds between two questions; stations report every 15 minutes or so. */
const PAUSE = 300_000;

async function read(): Promise<void> {
  try {
    const { station } = await call(() => api.GET("/v1/pegel/nearby"));
    nearbyStation.value = station;
  } catch {
    // The level that was known stays until the next question.
  }
}

/** Follows the level as long as somebody shows it. Returns the function that ends it. */
export const followWater = (): (() => void) =>
  effect(() => {
    if (session.value !== "open" || !may("pegel:read")) return;
    void read();
    // Before the first position there is no station near by.
    const soon = setTimeout(read, PAUSE / 10);
    const timer = setInterval(read, PAUSE);
    return () => {
      clearTimeout(soon);
      clearInterval(timer);
    };
  });
