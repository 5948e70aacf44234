import type { JSX } from "preact";
import { Section } from "../../ui/panel";
import { Settings } from "../../ui/settings";
import { words } from "./words";

/** The looks of the page in this browser. */
export function Preferences(): JSX.Element {
  return (
    <Section title={words().page}>
      <Settings />
    </Section>
  );
}
