import { computed, effect, signal, untracked } from "@preact/signals";
import { openAlerts } from "./alerts";
import { headline, words } from "./panels/alerts/words";
import { session } from "./session";
import { askForSound, chime, siren } from "./sound";
import { urgentTitle } from "./title";

/** What is done about open alerts beyond showing them: the siren, a tone, the title of the page. */

/** Alerts that make no sound on this page any more. */
export const muted = signal<ReadonlySet<string>>(new Set());

export function mute(id: string): void {
  muted.value = new Set([...muted.peek(), id]);
}

/** Alarms that are to be heard. */
const loud = computed(() =>
  openAlerts.value.filter(({ id, severity }) => severity === "alarm" && !muted.value.has(id)),
);

/** Begins to sound alarms until they are acknowledged, over, or mute; warnings are told by one tone. */
export function soundAlarms(): void {
  effect(() => {
    if (session.value === "open") void askForSound();
  });
  effect(() => siren(loud.value.length > 0));
  let known: ReadonlySet<string> = new Set();
  effect(() => {
    const warnings = openAlerts.value.filter(({ severity }) => severity === "warning").map(({ id }) => id);
    if (warnings.some((id) => !known.has(id))) untracked(chime);
    known = new Set(warnings);
  });
  effect(() => {
    const [worst] = openAlerts.value;
    urgentTitle.value =
      worst && worst.severity !== "info"
        ? `${words().severity[worst.severity].toUpperCase()}: ${headline(worst)}`
        : null;
  });
}
