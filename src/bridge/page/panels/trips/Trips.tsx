import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Trips(): JSX.Element {
  return <Panel title="Trips">{null}</Panel>;
}
