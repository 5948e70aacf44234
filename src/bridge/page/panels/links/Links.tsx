import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Links(): JSX.Element {
  return <Panel title="Links">{null}</Panel>;
}
