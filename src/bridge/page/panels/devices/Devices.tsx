import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Devices(): JSX.Element {
  return <Panel title="Devices">{null}</Panel>;
}
