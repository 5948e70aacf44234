import type { JSX } from "preact";
import type { AnchorWatch } from "../../anchors";

/** The state of a watch by its form: a ring with a dot inside, on its edge, outside, or crossed out; a bare ring without one. */
export function StateSign({
  state,
  size = 24,
}: {
  state: AnchorWatch["state"] | null;
  size?: number;
}): JSX.Element {
  return (
    <svg
      class={`anchor-sign ${state ?? "none"}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      <circle class="ring" cx="12" cy="12" r="8" />
      {state === "holding" && <circle class="dot" cx="13" cy="10" r="3" />}
      {state === "warning" && <circle class="dot" cx="17" cy="7" r="3" />}
      {state === "dragging" && <circle class="dot" cx="20.5" cy="4" r="3.5" />}
      {state === "silent" && <path class="ring" d="M6 6l12 12" />}
    </svg>
  );
}
