import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { inLanguages } from "../language";
import { stage } from "./current";
import type { Stage } from "./stage";

const words = inLanguages({
  en: {
    map: "Map with devices",
    failed: "The map can't be drawn by this browser. The list of devices says everything that the map shows.",
  },
  de: {
    map: "Karte mit Geräten",
    failed:
      "Dieser Browser kann die Karte nicht zeichnen. Die Liste der Geräte sagt alles, was die Karte zeigt.",
  },
});

/** The element that holds the map, for tests and developers' tools. */
export type MapElement = HTMLDivElement & { stage?: Stage };

/**
 * The map, below or beside every view. It stays as it is while views come and go, and is loaded when it is first seen: a phone
 * that opens a list spares it.
 */
export function MapStage({ isHidden }: { isHidden: boolean }): JSX.Element {
  const t = words();
  const element = useRef<MapElement>(null);
  const isFailed = useSignal(false);
  const wasSeen = useRef(false);
  wasSeen.current ||= !isHidden;
  const isWanted = wasSeen.current;
  const tools = useSignal<(() => JSX.Element) | null>(null);
  useEffect(() => {
    const container = element.current;
    if (!container || !isWanted) return;
    let isGone = false;
    Promise.all([import("./stage"), import("./parts"), import("./Tools")])
      .then(async ([{ startStage }, { drawAll }, { Tools }]) => {
        const started = await startStage(container);
        if (isGone) {
          started.map.remove();
          return;
        }
        container.stage = started;
        drawAll(started);
        tools.value = () => <Tools stage={started} />;
        stage.value = started;
      })
      .catch((error: unknown) => {
        reportError(error);
        isFailed.value = true;
      });
    return () => {
      isGone = true;
      stage.value?.map.remove();
      stage.value = null;
    };
  }, [isFailed, isWanted, tools]);
  const Shown = tools.value;
  return (
    <section class={isHidden ? "stage unshown" : "stage"} aria-label={t.map} inert={isHidden}>
      {isFailed.value && <p class="notice">{t.failed}</p>}
      <div id="map" ref={element} />
      {Shown && <Shown />}
    </section>
  );
}
