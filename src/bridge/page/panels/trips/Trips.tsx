import type { JSX } from "preact";
import { route } from "../../route";
import { Log } from "./Log";
import { NewTrip } from "./NewTrip";
import { TripList } from "./TripList";
import { TripPage } from "./TripPage";

/** Trips: the list, one of them, and its log. */
export function Trips(): JSX.Element {
  const [, id, part] = route.value.path;
  if (id === undefined) return <TripList />;
  if (id === "new") return <NewTrip />;
  if (part === "log") return <Log id={id} />;
  return <TripPage id={id} />;
}
