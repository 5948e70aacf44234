import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ageOf } from "../../age";
import { type Craft, fleet } from "../../fleet";
import { prefersStillness } from "../../looks";
import { stage } from "../../map/current";
import { go } from "../../route";
import { bound, TextField } from "../../ui/form";
import { Popover } from "../../ui/popover";
import { Ago } from "../../ui/time";
import { speed } from "../../units";
import { AgeSign } from "../devices/state";
import { words } from "./words";

/** Lists shorter than this are looked through faster than a name is typed. */
const WORTH_SEARCHING = 8;

/** Chooses a device, and shows it. */
function show({ device, fix }: Craft): void {
  go(["map", device.peek().id]);
  const [current, at] = [stage.peek(), fix.peek()];
  if (!current || !at) return;
  const camera = {
    center: [at.longitude, at.latitude] as [number, number],
    zoom: Math.max(current.map.getZoom(), 11),
  };
  if (prefersStillness()) current.map.jumpTo(camera);
  else current.map.easeTo(camera);
}

/** The devices of the map as a list: the way to each for whoever doesn't see or tap the map. */
export function Finder(): JSX.Element {
  const t = words();
  return (
    <div class="finder">
      <Popover icon="search" label={t.devices(fleet.value.size)}>
        {(close) => <List close={close} />}
      </Popover>
    </div>
  );
}

function List({ close }: { close: () => void }): JSX.Element {
  const t = words();
  const sought = useSignal("");
  const all = [...fleet.value.values()];
  const name = sought.value.trim().toLowerCase();
  const found = name ? all.filter(({ device }) => device.value.name.toLowerCase().includes(name)) : all;
  return (
    <>
      {all.length >= WORTH_SEARCHING && <TextField label={t.find} type="search" {...bound(sought)} />}
      {found.length === 0 && <p class="soft">{t.noMatch}</p>}
      {found.length > 0 && (
        <ul class="rows">
          {found.map((craft) => (
            <Row
              key={craft.device.peek().id}
              craft={craft}
              onChoose={() => {
                close();
                show(craft);
              }}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function Row({ craft, onChoose }: { craft: Craft; onChoose: () => void }): JSX.Element {
  const t = words();
  const fix = craft.fix.value;
  const age = ageOf(fix);
  return (
    <li>
      <button type="button" class="row" onClick={onChoose} disabled={!fix}>
        <AgeSign at={fix?.timestamp ?? null} />
        <span class="row-main">
          <span class="row-title">{craft.device.value.name}</span>
        </span>
        <span class="row-end small">
          {age === "fresh" && fix?.speed_kmh != null ? (
            speed(fix.speed_kmh)
          ) : fix ? (
            <Ago at={fix.timestamp} />
          ) : (
            t.age.none
          )}
        </span>
      </button>
    </li>
  );
}
