import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Anchor(): JSX.Element {
  return <Panel title="Anchor">{null}</Panel>;
}
