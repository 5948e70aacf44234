import type { JSX } from "preact";
import { useStage } from "../../map/current";
import { onTap } from "../../map/taps";
import { go, route } from "../../route";
import { EditZone, NewZone } from "./ZoneEditor";
import { ZoneList } from "./ZoneList";
import { ZonePage } from "./ZonePage";

/** Zones: the list, one of them, and drawing. */
export function Zones(): JSX.Element {
  const [, id, part] = route.value.path;
  useStage((stage) =>
    onTap(stage, ["zones-areas"], ({ feature }) => go(["zones", String(feature.properties.id)])),
  );
  if (id === undefined) return <ZoneList />;
  if (id === "new") return <NewZone />;
  if (part === "edit") return <EditZone key={id} id={id} />;
  return <ZonePage key={id} id={id} />;
}
