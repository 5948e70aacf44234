import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Alerts(): JSX.Element {
  return <Panel title="Alerts">{null}</Panel>;
}
