import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Figures(): JSX.Element {
  return <Panel title="Figures">{null}</Panel>;
}
