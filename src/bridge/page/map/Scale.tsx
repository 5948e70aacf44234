import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { inLanguages } from "../language";
import { number } from "../units";
import { distanceKm } from "./geometry";
import type { Stage } from "./stage";

const words = inLanguages({ en: { scale: "Scale" }, de: { scale: "Maßstab" } });

/** Pixels that a bar may be long. */
const LONGEST = 110;

const KM_PER_NM = 1.852;

interface Bar {
  text: string;
  pixels: number;
}

/** The longest round number (1, 2 or 5 with zeros) that is no more than another. */
export function roundBelow(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const digit = most / power;
  return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/** The two bars where a pixel is so many kilometres. */
export function barsOf(kmPerPixel: number): { miles: Bar; kilometres: Bar } {
  const mostKm = kmPerPixel * LONGEST;
  const miles = roundBelow(mostKm / KM_PER_NM);
  const km = roundBelow(mostKm);
  const digits = (value: number) => (value >= 1 ? 0 : value >= 0.1 ? 1 : 2);
  return {
    miles: { text: `${number(miles, digits(miles))} nm`, pixels: (miles * KM_PER_NM) / kmPerPixel },
    kilometres: {
      text: km < 1 ? `${number(km * 1_000)} m` : `${number(km)} km`,
      pixels: km / kmPerPixel,
    },
  };
}

/** Kilometres of a pixel in the middle of the map, after each move. */
function useScale({ map }: Stage): ReadonlySignal<number> {
  const measure = () => {
    const { clientWidth, clientHeight } = map.getContainer();
    const [x, y] = [clientWidth / 2, clientHeight / 2];
    const [a, b] = [map.unproject([x - LONGEST / 2, y]), map.unproject([x + LONGEST / 2, y])];
    return distanceKm([a.lng, a.lat], [b.lng, b.lat]) / LONGEST;
  };
  const scale = useSignal(measure());
  useEffect(() => {
    const update = () => {
      const now = measure();
      // Panning changes it a little; nobody sees a thousandth.
      if (Math.abs(now / scale.peek() - 1) > 0.005) scale.value = now;
    };
    map.on("move", update);
    map.on("resize", update);
    return () => {
      map.off("move", update);
      map.off("resize", update);
    };
  }, [map]);
  return scale;
}

/** The scale of the map, in nautical miles and in kilometres. */
export function Scale({ stage }: { stage: Stage }): JSX.Element | null {
  const kmPerPixel = useScale(stage).value;
  if (!(kmPerPixel > 0)) return null;
  const { miles, kilometres } = barsOf(kmPerPixel);
  return (
    <div class="scale" role="img" aria-label={`${words().scale}: ${miles.text}, ${kilometres.text}`}>
      <span style={{ width: `${miles.pixels}px` }}>{miles.text}</span>
      <span style={{ width: `${kilometres.pixels}px` }}>{kilometres.text}</span>
    </div>
  );
}
