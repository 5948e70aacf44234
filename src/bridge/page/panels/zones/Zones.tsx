import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Zones(): JSX.Element {
  return <Panel title="Zones">{null}</Panel>;
}
