import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { fleet, watchLate } from "../../fleet";
import { drawnElsewhere, useStage } from "../../map/current";
import { hueOf } from "../../map/fleet";
import { boundsOf } from "../../map/geometry";
import { HUES } from "../../map/palette";
import { showBox } from "../../map/track";
import { go, to } from "../../route";
import { may } from "../../session";
import { day, spanOfDay } from "../../times";
import { useAtMostEvery } from "../../ui/at-most-every";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Empty } from "../../ui/panel";
import { distance } from "../../units";
import { addressOf, type Choice, onDate } from "./choice";
import { DeviceDay } from "./DeviceDay";
import { drawMoment, drawWays } from "./draw";
import { Player } from "./Player";
import { replay, useReplay } from "./replay";
import {
  type Figures,
  isTooLong,
  keyOf,
  readFigures,
  readPlaces,
  readTracks,
  type Shown,
  type Tracks,
} from "./shown";
import { wayOf, withStops } from "./way";
import { words } from "./words";

/** Milliseconds between two readings of a day that isn't over; of longer spans, as many times more. */
const PAUSE = 30_000;
const DAY = 86_400_000;
/** Milliseconds after which what is computed anew is asked for again. */
const ANEW = 2_000;

/** Each device in its own colour, or in the next one that is free. */
function huesOf(ids: readonly string[]): number[] {
  const taken = new Set<number>();
  return ids.map((id) => {
    let hue = hueOf(id);
    while (taken.has(hue) && taken.size < HUES) hue = (hue + 1) % HUES;
    taken.add(hue);
    return hue;
  });
}

/** The devices of tracks that were read, before their stops are known. */
function devicesOf(read: Tracks | null): Shown[] {
  if (!read) return [];
  const found = [...read.tracks].filter(([, { points_total }]) => points_total > 0);
  const hues = huesOf(found.map(([id]) => id));
  return found.map(([id, track], at) => {
    const name = fleet.peek().get(id)?.device.peek().name ?? "";
    return { id, name, hue: hues[at] ?? 0, way: wayOf(track.pieces), segments: [] };
  });
}

/** The same devices with their moves and stops. A way without a stop on it stays the same object, which isn't drawn anew. */
const withFigures = (devices: readonly Shown[], figures: ReadonlyMap<string, Figures> | null): Shown[] =>
  devices.map((each) => {
    const segments = figures?.get(each.id)?.segments ?? [];
    const stops = segments.filter(({ kind }) => kind === "stop");
    return { ...each, way: withStops(each.way, stops), segments };
  });

const isAnew = (figures: ReadonlyMap<string, Figures>): boolean =>
  [...figures.values()].some(({ recomputingFrom }) => recomputingFrom !== null);

/** The ways of a choice: read, drawn, replayed, and told of. */
export function Ways({ choice, lastDay }: { choice: Choice; lastDay: string | null }): JSX.Element {
  const key = keyOf(choice);
  const tracks = useLoaded(() => readTracks(choice), [key]);
  const figures = useLoaded(
    async () => (tracks.data ? { of: tracks.data, each: await readFigures(tracks.data) } : null),
    [tracks.data],
    (read) => read && isAnew(read.each) && ANEW,
  );
  // Figures of what was shown before would be taken for those of this.
  const known = figures.data && figures.data.of.key === tracks.data?.key ? figures.data.each : null;
  const devices = useMemo(() => devicesOf(tracks.data), [tracks.data]);
  const shown = useMemo(() => withFigures(devices, known), [devices, known]);
  const places = useLoaded(() => readPlaces(shown.flatMap(({ segments }) => segments)), [shown]);
  const ways = useMemo(() => shown.map(({ way }) => way), [shown]);
  useReplay(ways);
  useDrawn(shown, tracks.data?.key ?? null);
  return (
    <Show of={tracks}>
      {(read) => (
        <div class="ways" aria-busy={read.key !== key}>
          <Fresh choice={choice} reload={tracks.reload} />
          {read.trip && <OfTrip trip={read.trip} choice={choice} />}
          {shown.length === 0 ? (
            <Nowhere choice={choice} lastDay={lastDay} />
          ) : (
            <>
              <Player shown={shown} isDay={read.trip === null && choice.kind === "day"} />
              <Thinned read={read} />
              {isTooLong(read) && <p class="soft">{words().tooLong}</p>}
              <Show of={figures}>
                {() =>
                  shown.map((each) => (
                    <DeviceDay
                      key={each.id}
                      shown={each}
                      figures={known?.get(each.id)}
                      places={places.data ?? new Map()}
                      read={read}
                      isTrips={read.trip !== null && each.id === [...read.tracks.keys()][0]}
                      title={shown.length > 1 ? each.name : null}
                    />
                  ))
                }
              </Show>
              {may("devices:write") && (
                <a class="button" href={to(["links"])}>
                  <Icon name="share" />
                  <span>{words().share}</span>
                </a>
              )}
            </>
          )}
        </div>
      )}
    </Show>
  );
}

/** Draws ways and the moment of the replay, and shows the whole when something else was chosen. */
function useDrawn(shown: readonly Shown[], key: string | null): void {
  const fitted = useRef<string | null>(null);
  const drawn = useSignal(shown);
  useEffect(() => {
    drawn.value = shown;
  }, [shown, drawn]);
  useStage((stage) => drawWays(stage, drawn));
  useStage((stage) => drawMoment(stage, drawn, replay));
  useStage(
    (stage) => {
      if (fitted.current === key) return () => {};
      const places = shown.flatMap(({ way }) => way.map(({ longitude, latitude }) => [longitude, latitude]));
      const box = boundsOf(places);
      if (box) {
        fitted.current = key;
        showBox(stage, box, false);
      }
      return () => {};
    },
    [shown, key],
  );
  const ids = shown.map(({ id }) => id).join(",");
  useEffect(() => {
    drawnElsewhere.devices.value = new Set(ids === "" ? [] : ids.split(","));
    return () => {
      drawnElsewhere.devices.value = new Set();
    };
  }, [ids]);
}

/**
 * Reads again when a device moves while its span goes on, and when late positions have come. It shows nothing, so that a position a
 * second draws nothing anew.
 */
function Fresh({
  choice: { devices, from, to: until, trip },
  reload,
}: {
  choice: Choice;
  reload: () => Promise<void>;
}): null {
  const isGoingOn = trip === null && from <= Date.now() && Date.now() < until;
  const newest = devices.map((id) => fleet.value.get(id)?.fix.value?.timestamp ?? "").join(" ");
  const pause = Math.max(1, (until - from) / DAY) * PAUSE;
  useAtMostEvery(pause, reload, isGoingOn ? newest : null);
  const late = useRef<ReturnType<typeof setTimeout> | null>(null);
  const ids = devices.join(" ");
  useEffect(() => {
    const end = watchLate((id) => {
      if (!ids.includes(id) || late.current !== null) return;
      late.current = setTimeout(() => {
        late.current = null;
        void reload();
      }, ANEW);
    });
    return () => {
      end();
      if (late.current !== null) clearTimeout(late.current);
      late.current = null;
    };
  }, [ids, reload]);
  return null;
}

function OfTrip({ trip, choice }: { trip: { id: string; name: string }; choice: Choice }): JSX.Element {
  const t = words();
  return (
    <p class="split">
      <span>
        {t.trip}: <a href={to(["trips", trip.id])}>{trip.name}</a>
      </span>
      <Button onClick={() => go(...addressOf({ ...choice, trip: null }))}>{t.wholeDay}</Button>
    </p>
  );
}

/** Nothing in the span: what to do about it. */
function Nowhere({ choice, lastDay }: { choice: Choice; lastDay: string | null }): JSX.Element {
  const t = words();
  const last = lastDay === null ? null : onDate({ ...choice, trip: null, kind: "day" }, lastDay);
  const span = lastDay === null ? null : spanOfDay(lastDay);
  return (
    <Empty icon="day" title={t.empty}>
      <p>{t.emptyHint}</p>
      {last && span && last.from !== choice.from && (
        <Button kind="main" onClick={() => go(...addressOf(last))}>
          {t.lastDay(day(span.from))}
        </Button>
      )}
      {may("gps:write") && may("devices:write") && (
        <a class="button" href={to(["devices", choice.devices[0] ?? "", "import"])}>
          <Icon name="upload" />
          <span>{t.import}</span>
        </a>
      )}
    </Empty>
  );
}

/** Metres from which on a reader would see that the line is simplified. */
const SEEN = 25;

function Thinned({ read }: { read: Tracks }): JSX.Element | null {
  const metres = Math.max(...[...read.tracks.values()].map(({ tolerance_m }) => tolerance_m));
  return metres < SEEN ? null : <p class="hint">{words().thinned(distance(metres / 1_000))}</p>;
}
