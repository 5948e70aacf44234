import type { JSX } from "preact";
import { isolated } from "../../direction";
import { look } from "../../looks";
import { PALETTES } from "../../map/palette";
import { clockToSecond, exact } from "../../times";
import { Button } from "../../ui/button";
import { number, speed } from "../../units";
import { extentOf, ratesFor, stepFor, timeByKey } from "./clock";
import { Graph } from "./Graph";
import { replay, seek, toggle } from "./replay";
import type { Shown } from "./shown";
import { momentAt } from "./way";
import { words } from "./words";

const KMH_PER_MPS = 3.6;

/** The time of the clock: with its date, unless that is the chosen one. */
const timeOf = (isDay: boolean, time: number): string => (isDay ? clockToSecond : exact)(time * 1_000);

function speedAt({ way }: Shown, time: number): string {
  const known = momentAt(way, time)?.speed ?? null;
  return known === null ? words().unknown : speed(known * KMH_PER_MPS);
}

/** Plays the ways of a span: its clock, the speeds, how fast, and whether the map follows. */
export function Player({
  shown,
  isDay,
}: {
  shown: readonly Shown[];
  /** True if a single day is shown. */
  isDay: boolean;
}): JSX.Element | null {
  const t = words();
  const extent = extentOf(shown.map(({ way }) => way));
  if (!extent) return null;
  const isPlaying = replay.isPlaying.value;
  const playByKey = (event: KeyboardEvent) => {
    // Buttons take it as a press.
    if (event.key !== " " || event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    toggle();
  };
  return (
    <section class="player" aria-label={t.replay} onKeyDown={playByKey}>
      <Now shown={shown} isDay={isDay} />
      <div class="player-line">
        <Button
          kind="main"
          icon={isPlaying ? "pause" : "play"}
          label={isPlaying ? t.pause : t.play}
          onClick={toggle}
        />
        <div class="player-track">
          <Slider shown={shown} isDay={isDay} extent={extent} />
          <Graph shown={shown} extent={extent} />
        </div>
      </div>
      <div class="player-ways">
        <fieldset class="rates" aria-label={t.rates}>
          {ratesFor(extent.to - extent.from).map((rate) => (
            <button
              key={rate}
              type="button"
              class="button"
              aria-label={t.times(number(rate))}
              aria-pressed={replay.rate.value === rate}
              onClick={() => {
                replay.rate.value = rate;
              }}
            >
              {number(rate)}×
            </button>
          ))}
        </fieldset>
        <Button
          icon="follow"
          isPressed={replay.follows.value}
          onClick={() => {
            replay.follows.value = !replay.follows.value;
          }}
        >
          {t.follow}
        </Button>
      </div>
    </section>
  );
}

interface Props {
  shown: readonly Shown[];
  isDay: boolean;
}

/** The time, and the speed of each device. */
function Now({ shown, isDay }: Props): JSX.Element | null {
  const time = replay.time.value;
  const { hues } = PALETTES[look.value];
  if (time === null) return null;
  return (
    <div class="player-now">
      <strong class="number">{timeOf(isDay, time)}</strong>
      {shown.map((each) => (
        <span key={each.id} class="number">
          {shown.length > 1 && <Dot color={hues[each.hue] ?? ""} />}
          {shown.length > 1 && `${isolated(each.name)} `}
          {speedAt(each, time)}
        </span>
      ))}
    </div>
  );
}

/** The colour of a device on the map. */
export function Dot({ color }: { color: string }): JSX.Element {
  return <span class="dot" style={{ backgroundColor: color }} aria-hidden="true" />;
}

function Slider({ shown, isDay, extent }: Props & { extent: { from: number; to: number } }): JSX.Element {
  const t = words();
  const time = replay.time.value ?? extent.from;
  const speeds = shown.map((each) =>
    shown.length === 1 ? speedAt(each, time) : t.ofDevice(each.name, speedAt(each, time)),
  );
  const move = (event: KeyboardEvent) => {
    const to = timeByKey(event.key, time, extent);
    if (to === null) return;
    event.preventDefault();
    seek(to);
  };
  return (
    <input
      type="range"
      aria-label={t.slider}
      aria-valuetext={t.at(timeOf(isDay, time), speeds.join(", "))}
      min={extent.from}
      max={extent.to}
      step={stepFor(extent.to - extent.from) > 1 ? 1 : "any"}
      value={time}
      onKeyDown={move}
      onInput={(event) => seek(event.currentTarget.valueAsNumber)}
    />
  );
}
