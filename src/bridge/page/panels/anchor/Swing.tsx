import type { JSX } from "preact";
import type { AnchorWatch } from "../../anchors";
import { api, call, type Schemas } from "../../api";
import type { Craft } from "../../fleet";
import { bearingDeg, distanceKm } from "../../map/geometry";
import { mayBy } from "../../shares";
import { duration, present } from "../../times";
import { useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { number } from "../../units";
import { words } from "./words";

/** The longest time that is shown, in milliseconds. */
const LONGEST = 6 * 3_600_000;
const MINUTE = 60_000;
const POINTS = 600;
/** Half of the drawing's width, in its own units. */
const HALF = 100;
/** The line is drawn in so many pieces, the older the fainter. */
const SHADES = 4;

/** A place as seen from the anchor: metres east and south, as drawings count. */
type Spot = readonly [x: number, y: number];

/** The way of a boat around its anchor, as a small drawing. */
export function Swing({ watch, craft }: { watch: AnchorWatch; craft: Craft }): JSX.Element | null {
  const t = words();
  const id = watch.device_id;
  const maySee = mayBy("gps:read", id, "history");
  const minute = Math.floor(present.value / MINUTE);
  const from = Math.max(Date.parse(watch.dropped_at), minute * MINUTE - LONGEST);
  const query = { from: new Date(from).toISOString(), max_points: POINTS, format: "json" } as const;
  const track = useLoaded(async () => {
    if (!maySee) return [];
    const answer = await call(() => api.GET("/v1/devices/{id}/track", { params: { path: { id }, query } }));
    // The other forms of the answer are files.
    return (answer as Schemas["TrackAnswer"]).data.pieces;
  }, [id, maySee, minute, watch.dropped_at]);
  if (!maySee) return null;
  const anchor = [watch.longitude, watch.latitude] as const;
  const spotOf = ([longitude, latitude]: readonly (number | null)[]): Spot => {
    const at = [longitude ?? 0, latitude ?? 0] as const;
    const [metres, angle] = [distanceKm(anchor, at) * 1_000, (bearingDeg(anchor, at) * Math.PI) / 180];
    return [metres * Math.sin(angle), -metres * Math.cos(angle)];
  };
  const fix = craft.fix.value;
  const boat = fix && spotOf([fix.longitude, fix.latitude]);
  const pieces = (track.data ?? []).map((piece) => piece.map(spotOf));
  const farthest = Math.max(
    watch.radius_m,
    ...pieces.flat().map(([x, y]) => Math.hypot(x, y)),
    boat ? Math.hypot(...boat) : 0,
  );
  const scale = (HALF * 0.9) / farthest;
  const side =
    boat && fix ? t.sides[Math.round(bearingDeg(anchor, [fix.longitude, fix.latitude]) / 45) % 8] : "";
  const away = boat ? Math.hypot(...boat) : 0;
  // A single position far away doesn't count for the watch, but is where the boat is said to be.
  const greatest = Math.max(away, watch.max_distance_m);
  const text = boat ? t.plotText(`${number(away)} m`, side ?? "", `${number(greatest)} m`) : t.plotNone;
  return (
    <Section title={t.plot}>
      <figure class="swing">
        <svg viewBox={`${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`} role="img" aria-label={text}>
          <circle class="swing-radius" r={watch.radius_m * scale} />
          {watch.warning_radius_m !== null && (
            <circle class="swing-warning" r={watch.warning_radius_m * scale} />
          )}
          <path class="swing-cross" d="M-4 0H4M0-4V4" />
          {pieces.flatMap((piece, at) =>
            shades(piece).map((line, shade) => (
              <polyline
                key={`${at} ${shade}`}
                class={`swing-line shade-${shade}`}
                points={line.map(([x, y]) => `${(x * scale).toFixed(1)},${(y * scale).toFixed(1)}`).join(" ")}
              />
            )),
          )}
          {boat && <circle class="swing-boat" cx={boat[0] * scale} cy={boat[1] * scale} r="5" />}
        </svg>
        <figcaption>
          <p>{text}</p>
          <p class="hint">{t.plotLead(duration((present.value - from) / 1_000))}</p>
        </figcaption>
      </figure>
    </Section>
  );
}

/** A line in pieces, which touch; the newest last. */
function shades(line: readonly Spot[]): Spot[][] {
  const size = Math.ceil((line.length - 1) / SHADES) || 1;
  return Array.from({ length: SHADES }, (_, at) => line.slice(at * size, (at + 1) * size + 1)).filter(
    ({ length }) => length > 1,
  );
}
