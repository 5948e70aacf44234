import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { chosenDevice, chosenOther } from "../../chosen";
import { fleet, fleetState } from "../../fleet";
import { to } from "../../route";
import { may } from "../../session";
import { Empty } from "../../ui/panel";
import { DeviceCard } from "./DeviceCard";
import { Finder } from "./Finder";
import { OtherCard } from "./OtherCard";
import { words } from "./words";

/** Parts that lie over the map where it is looked at alone: a list of the devices, and a card about what is chosen. */
export function MapPanel(): JSX.Element {
  const t = words();
  const craft = chosenDevice.value === null ? undefined : fleet.value.get(chosenDevice.value);
  const other = chosenOther.value;
  useEffect(() => {
    document.title = "Fairlead";
  }, []);
  return (
    <>
      <h1 class="unseen">{t.title}</h1>
      {fleet.value.size > 0 && <Finder />}
      {fleetState.value === "known" && <Nothing />}
      {craft ? (
        <DeviceCard key={craft.device.peek().id} craft={craft} />
      ) : (
        other !== null && <OtherCard chosen={other} />
      )}
    </>
  );
}

/** Says the next thing to do while there is nothing to see. */
function Nothing(): JSX.Element | null {
  const t = words();
  const all = [...fleet.value.values()];
  if (all.some(({ fix }) => fix.value)) return null;
  const isNone = all.length === 0;
  const mayAdd = isNone && may("devices:write");
  return (
    <section class="map-card">
      <Empty icon="devices" title={isNone ? t.none : t.noFix}>
        <p>{isNone ? (mayAdd ? t.noneHint : t.noneForYou) : t.noFixHint}</p>
        {(mayAdd || !isNone) && (
          <a class="button main" href={to(mayAdd ? ["devices", "new"] : ["devices"])}>
            {mayAdd ? t.add : t.toDevices}
          </a>
        )}
      </Empty>
    </section>
  );
}
