import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Day(): JSX.Element {
  return <Panel title="Day">{null}</Panel>;
}
