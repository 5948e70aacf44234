import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { areasOf, HEIGHT } from "../../graphs";
import { look } from "../../looks";
import { PALETTES } from "../../map/palette";
import { speed } from "../../units";
import { replay, seek } from "./replay";
import type { Shown } from "./shown";
import { speedsOf } from "./way";
import { words } from "./words";

const KMH_PER_MPS = 3.6;

/** Values of a graph: as many as a phone has room for. */
const STEPS = 300;

/** The speeds of all devices under the slider, in step with it. A tap moves the clock there; keyboards do that on the slider. */
export function Graph({
  shown,
  extent: { from, to },
}: {
  shown: readonly Shown[];
  extent: { from: number; to: number };
}): JSX.Element {
  const t = words();
  const speeds = useMemo(
    () => shown.map(({ way }) => speedsOf(way, from, Math.max(to, from + 1), STEPS)),
    [shown, from, to],
  );
  const most = Math.max(1, ...speeds.flat().map((value) => value ?? 0));
  const { hues } = PALETTES[look.value];
  return (
    <div class="speed-graphs">
      {shown.map(({ id, name, hue }, at) => {
        const values = speeds[at] ?? [];
        const top = Math.max(0, ...values.map((value) => value ?? 0));
        return (
          <figure key={id} class="graph">
            <figcaption>
              <span>{shown.length > 1 ? name : t.graph}</span>
              <span>
                {t.top}: {speed(top * KMH_PER_MPS)}
              </span>
            </figcaption>
            <Surface extent={{ from, to }}>
              <path d={areasOf(values, most)} style={{ color: hues[hue] }} />
            </Surface>
          </figure>
        );
      })}
    </div>
  );
}

/** The surface that is touched: an area, and the cursor over it. */
function Surface({
  extent: { from, to },
  children,
}: {
  extent: { from: number; to: number };
  children: JSX.Element;
}): JSX.Element {
  const isHeld = useRef(false);
  const touch = ({ clientX, currentTarget }: { clientX: number; currentTarget: SVGSVGElement }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    seek(from + ((clientX - left) / width) * (to - from));
  };
  return (
    <svg
      viewBox={`0 0 ${STEPS} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        isHeld.current = true;
        touch(event);
      }}
      onPointerMove={(event) => isHeld.current && touch(event)}
      onPointerUp={() => {
        isHeld.current = false;
      }}
      onPointerCancel={() => {
        isHeld.current = false;
      }}
    >
      {children}
      <Cursor extent={{ from, to }} />
    </svg>
  );
}

function Cursor({ extent: { from, to } }: { extent: { from: number; to: number } }): JSX.Element | null {
  const { value } = replay.time;
  if (value === null) return null;
  const x = (STEPS * (value - from)) / Math.max(1, to - from);
  return <line x1={x} x2={x} y1={0} y2={HEIGHT} />;
}
