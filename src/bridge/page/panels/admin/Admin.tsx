import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Admin(): JSX.Element {
  return <Panel title="Admin">{null}</Panel>;
}
