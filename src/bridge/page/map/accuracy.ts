import { effect, signal } from "@preact/signals";
import { api, call } from "../api";
import { chosenDevice } from "../chosen";
import { fleet } from "../fleet";

/** The accuracy of the chosen device's position in metres; null where nobody knows it. Messages of positions don't carry it. */
export const accuracy = signal<number | null>(null);

/** Milliseconds between two questions, however often the device moves. */
const PAUSE = 10_000;

/** Follows the accuracy of whichever device is chosen. Returns the function that ends it. */
export function followAccuracy(): () => void {
  let asked = { id: "", at: 0 };
  return effect(() => {
    const id = chosenDevice.value;
    const fix = id === null ? null : fleet.value.get(id)?.fix.value;
    if (id !== asked.id) accuracy.value = fix?.accuracy_m ?? null;
    if (id === null || !fix) return;
    if (id === asked.id && Date.now() - asked.at < PAUSE) return;
    asked = { id, at: Date.now() };
    call(() => api.GET("/v1/gps/current", { params: { query: { device_id: id } } })).then(
      ({ data }) => {
        if (chosenDevice.peek() === id) accuracy.value = data.accuracy_m;
      },
      // Without an answer there is no ring.
      () => {},
    );
  });
}
