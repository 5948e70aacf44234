import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { faultWords } from "../../refusals/refusals";
import { Button } from "../../ui/button";
import { bound, NumberField } from "../../ui/form";
import { say } from "../../ui/toasts";
import type { Drawing } from "./drawing";
import { type At, type Corner, movedCorner, type Ring, withCorner, withoutRing, withRing } from "./shape";
import { words } from "./words";

/** The shape of a zone by numbers: all that can be drawn can be typed. */
export function Numbers({ drawing }: { drawing: Drawing }): JSX.Element {
  const { kind, rings } = drawing.shape.value;
  if (kind === "circle") return <Circle drawing={drawing} />;
  const shown = kind === "corridor" ? rings.slice(0, 1) : rings;
  return (
    <>
      {kind === "corridor" && <Width drawing={drawing} />}
      {shown.map((ring, at) => (
        <RingFields key={at} drawing={drawing} ring={ring} at={at} rings={shown} />
      ))}
      {kind === "polygon" && <MoreRings drawing={drawing} />}
    </>
  );
}

/** A place is typed as a whole: nothing is drawn from half of it. */
function Circle({ drawing }: { drawing: Drawing }): JSX.Element {
  const t = words();
  const shape = drawing.shape.value;
  const typed = useSignal<{ longitude: number | null; latitude: number | null }>({
    longitude: null,
    latitude: null,
  });
  const type = (change: Partial<typeof typed.value>) => {
    const [longitude, latitude] = shape.centre ?? [typed.value.longitude, typed.value.latitude];
    const now = { longitude, latitude, ...change };
    typed.value = now;
    if (isPlace(now)) drawing.change({ ...shape, centre: [now.longitude, now.latitude] });
  };
  return (
    <div class="pair">
      <NumberField
        label={t.latitude}
        hint={t.degrees}
        required
        min={-90}
        max={90}
        value={shape.centre?.[1] ?? typed.value.latitude}
        onInput={(latitude) => type({ latitude })}
      />
      <NumberField
        label={t.longitude}
        hint={t.degrees}
        required
        min={-180}
        max={180}
        value={shape.centre?.[0] ?? typed.value.longitude}
        onInput={(longitude) => type({ longitude })}
      />
      <NumberField
        label={t.radius}
        required
        min={0.001}
        max={20_038_000}
        value={shape.radius_km === null ? null : Math.round(shape.radius_km * 1e6) / 1e3}
        onInput={(metres) => drawing.change({ ...shape, radius_km: metres === null ? null : metres / 1_000 })}
      />
    </div>
  );
}

const isPlace = (at: {
  longitude: number | null;
  latitude: number | null;
}): at is { longitude: number; latitude: number } =>
  at.longitude !== null &&
  at.latitude !== null &&
  Math.abs(at.longitude) <= 180 &&
  Math.abs(at.latitude) <= 90;

function Width({ drawing }: { drawing: Drawing }): JSX.Element {
  const shape = drawing.shape.value;
  return (
    <NumberField
      label={words().widthField}
      required
      min={1}
      max={100_000}
      value={shape.width_m}
      onInput={(width_m) => drawing.change({ ...shape, width_m })}
    />
  );
}

/** Areas and holes are counted apart. */
function nameOf(rings: readonly Ring[], at: number): string {
  const t = words();
  const { isHole } = rings[at] as Ring;
  const n = rings.slice(0, at + 1).filter((ring) => ring.isHole === isHole).length;
  return isHole ? t.hole(n) : t.area(n);
}

function RingFields({
  drawing,
  ring,
  at,
  rings,
}: {
  drawing: Drawing;
  ring: Ring;
  at: number;
  rings: readonly Ring[];
}): JSX.Element {
  const t = words();
  const name = rings.length > 1 ? nameOf(rings, at) : t.corners;
  return (
    <fieldset>
      <legend>{name}</legend>
      {rings.length > 1 && (
        <div class="actions left">
          <Button
            isPressed={drawing.ring.value === at}
            onClick={() => {
              drawing.choose(null);
              drawing.ring.value = at;
            }}
          >
            {t.drawHere}
          </Button>
          <Button
            icon="trash"
            label={t.removeRing(name)}
            onClick={() => {
              drawing.change(withoutRing(drawing.shape.peek(), at));
              drawing.choose(null);
              drawing.ring.value = 0;
            }}
          />
        </div>
      )}
      {ring.corners.length > 0 && (
        <ol class="corners">
          <li class="corner-heads" aria-hidden="true">
            <span />
            <span>{t.latitude}</span>
            <span>{t.longitude}</span>
          </li>
          {ring.corners.map((place, corner) => (
            <CornerFields key={corner} drawing={drawing} at={{ ring: at, corner }} place={place} />
          ))}
        </ol>
      )}
      <NextCorner drawing={drawing} ring={at} />
    </fieldset>
  );
}

function CornerFields({ drawing, at, place }: { drawing: Drawing; at: At; place: Corner }): JSX.Element {
  const t = words();
  const message = useId();
  const n = at.corner + 1;
  const isHere = (other: At | null) => other?.ring === at.ring && other.corner === at.corner;
  const fault = isHere(drawing.fault.value) ? drawing.fault.value : null;
  const field = (axis: 0 | 1, label: string, most: number) => (
    <input
      type="number"
      inputMode="decimal"
      step="any"
      required
      min={-most}
      max={most}
      aria-label={label}
      aria-invalid={fault ? true : undefined}
      aria-describedby={fault ? message : undefined}
      value={place[axis]}
      onFocus={() => drawing.choose(at)}
      onInput={({ currentTarget: { valueAsNumber: value } }) => {
        // A number that is half typed moves nothing.
        if (Number.isNaN(value) || Math.abs(value) > most) return;
        const [longitude, latitude] = place;
        drawing.change(
          movedCorner(drawing.shape.peek(), at, axis === 0 ? [value, latitude] : [longitude, value]),
        );
      }}
    />
  );
  return (
    <li class={isHere(drawing.chosen.value) ? "chosen" : undefined}>
      <span class="corner-number" aria-hidden="true">
        {n}
      </span>
      {field(1, t.latitudeOf(n), 90)}
      {field(0, t.longitudeOf(n), 180)}
      <Button icon="trash" kind="quiet" label={t.deleteCorner(n)} onClick={() => drawing.remove(at)} />
      {fault && (
        <small id={message} class="corner-fault">
          {t.cornerFault(n, faultWords(fault.message))}
        </small>
      )}
    </li>
  );
}

/** Adds a corner by numbers, behind the one that is chosen. */
function NextCorner({ drawing, ring }: { drawing: Drawing; ring: number }): JSX.Element {
  const t = words();
  const [latitude, longitude] = [useSignal<number | null>(null), useSignal<number | null>(null)];
  const add = () => {
    const typed = { latitude: latitude.value, longitude: longitude.value };
    if (!isPlace(typed)) return say(t.noPlace);
    const shape = drawing.shape.peek();
    const corner = shape.rings[ring]?.corners.length ?? 0;
    drawing.choose(null);
    drawing.ring.value = ring;
    drawing.change(withCorner(shape, { ring, corner }, [typed.longitude, typed.latitude]));
    latitude.value = longitude.value = null;
  };
  return (
    <div class="next-corner">
      <div class="pair">
        <NumberField label={t.latitude} min={-90} max={90} {...bound(latitude)} />
        <NumberField label={t.longitude} min={-180} max={180} {...bound(longitude)} />
      </div>
      <Button icon="add" onClick={add}>
        {t.addCorner}
      </Button>
    </div>
  );
}

function MoreRings({ drawing }: { drawing: Drawing }): JSX.Element {
  const t = words();
  const add = (isHole: boolean) => {
    const changed = withRing(drawing.shape.peek(), isHole);
    drawing.change(changed);
    drawing.choose(null);
    drawing.ring.value = changed.rings.length - 1;
  };
  return (
    <div class="actions left">
      <Button icon="add" onClick={() => add(true)}>
        {t.addHole}
      </Button>
      <Button icon="add" onClick={() => add(false)}>
        {t.addArea}
      </Button>
    </div>
  );
}
