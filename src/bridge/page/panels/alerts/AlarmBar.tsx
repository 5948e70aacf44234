import type { JSX } from "preact";

/** Open alerts, on top of every view. */
export function AlarmBar(): JSX.Element | null {
  return null;
}
