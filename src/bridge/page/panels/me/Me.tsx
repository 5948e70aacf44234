import type { JSX } from "preact";
import { Panel } from "../../ui/panel";

export function Me(): JSX.Element {
  return <Panel title="Me">{null}</Panel>;
}
