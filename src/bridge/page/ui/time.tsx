import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { exact, relative } from "../times";

/** A time in words, such as "5 minutes ago"; a tap shows it exactly. */
export function Ago({ at }: { at: string }): JSX.Element {
  const isExact = useSignal(false);
  const time = Date.parse(at);
  const toggle = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    isExact.value = !isExact.value;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the exact time is in the title too, which keyboards don't need a tap for.
    <time dateTime={at} title={exact(time)} onClick={toggle}>
      {isExact.value ? exact(time) : relative(time)}
    </time>
  );
}
