import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Water(): JSX.Element {
  return <Panel title="Water">{null}</Panel>;
}
