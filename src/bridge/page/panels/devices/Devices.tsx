import type { JSX } from "preact";
import { route } from "../../route";
import { DeviceList } from "./DeviceList";
import { DevicePage } from "./DevicePage";
import { DeviceSettings, NewDevice } from "./DeviceSettings";
import { Import } from "./Import";
import { Shares } from "./Shares";
import { Trackers } from "./Trackers";

/** Devices: the list, one of them, and what is set up for it. */
export function Devices(): JSX.Element {
  const [, id, part] = route.value.path;
  if (id === undefined) return <DeviceList />;
  if (id === "new") return <NewDevice />;
  if (part === "settings") return <DeviceSettings id={id} />;
  if (part === "trackers") return <Trackers id={id} />;
  if (part === "import") return <Import id={id} />;
  if (part === "shares") return <Shares id={id} />;
  return <DevicePage id={id} />;
}
