import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { anchorWatches, readAnchorWatches } from "../../anchors";
import { type Craft, fleet, fleetState } from "../../fleet";
import { route, to } from "../../route";
import { mayBy } from "../../shares";
import { Empty, Panel } from "../../ui/panel";
import { common } from "../../ui/words";
import { number } from "../../units";
import { AnchorEditor } from "./AnchorEditor";
import { StateSign } from "./StateSign";
import { WatchPage } from "./WatchPage";
import { words } from "./words";

/** The watch over a boat at anchor: of the only one, or of one that is chosen. */
export function Anchor(): JSX.Element {
  const t = words();
  const [, id] = route.value.path;
  const boats = [...fleet.value.values()].filter(({ device }) =>
    mayBy("alerts:read", device.value.id, "manage"),
  );
  const chosen =
    boats.find(({ device }) => device.value.id === id) ?? (boats.length === 1 ? boats[0] : undefined);
  if (chosen) return <Boat key={chosen.device.peek().id} craft={chosen} isOnly={boats.length === 1} />;
  return (
    <Panel title={t.title}>
      {fleetState.value === "first" && <p class="loading">{common().loading}</p>}
      {fleetState.value !== "first" && boats.length === 0 && (
        <Empty icon="anchor" title={t.none}>
          <p>{t.noneHint}</p>
        </Empty>
      )}
      {boats.length > 0 && (
        <>
          <h2>{t.choose}</h2>
          <ul class="rows">
            {boats.map(({ device }) => (
              <Choice key={device.peek().id} id={device.value.id} name={device.value.name} />
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function Choice({ id, name }: { id: string; name: string }): JSX.Element {
  const t = words();
  const watch = anchorWatches.value.get(id);
  return (
    <li>
      <a class="row" href={to(["anchor", id])}>
        <StateSign state={watch?.state ?? null} />
        <span class="row-main">
          <span class="row-title">{name}</span>
          <span class="hint">
            {watch
              ? [t.state[watch.state], watch.distance_m !== null && `${number(watch.distance_m)} m`]
                  .filter(Boolean)
                  .join(" · ")
              : t.noWatch}
          </span>
        </span>
      </a>
    </li>
  );
}

function Boat({ craft, isOnly }: { craft: Craft; isOnly: boolean }): JSX.Element {
  const isEditing = useSignal(false);
  const { id } = craft.device.value;
  const watch = anchorWatches.value.get(id);
  const mayWrite = mayBy("alerts:write", id, "manage");
  const back = isOnly ? undefined : to(["anchor"]);
  const setEditing = (isOpen: boolean) => {
    isEditing.value = isOpen;
  };
  if (mayWrite && (!watch || isEditing.value))
    return (
      <AnchorEditor
        craft={craft}
        watch={watch ?? null}
        back={back}
        onDone={async () => {
          await readAnchorWatches();
          setEditing(false);
        }}
        onCancel={watch ? () => setEditing(false) : undefined}
      />
    );
  return (
    <WatchPage
      craft={craft}
      watch={watch ?? null}
      back={back}
      mayWrite={mayWrite}
      onEdit={() => setEditing(true)}
    />
  );
}
