import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { inLanguages } from "../language";
import type { MapElement } from "../map/MapStage";

const words = inLanguages({
  en: { map: "Map with devices", failed: "The map can't be drawn by this browser." },
  de: { map: "Karte mit Geräten", failed: "Dieser Browser kann die Karte nicht zeichnen." },
});

/** The map of a link. */
export function SharedMap(): JSX.Element {
  const t = words();
  const element = useRef<MapElement>(null);
  const isFailed = useSignal(false);
  useEffect(() => {
    const container = element.current;
    if (!container) return;
    Promise.all([import("../map/stage"), import("./draw")])
      .then(async ([{ startStage }, { drawShared }]) => {
        container.stage = await startStage(container);
        drawShared(container.stage);
      })
      .catch((error: unknown) => {
        reportError(error);
        isFailed.value = true;
      });
    return () => container.stage?.map.remove();
  }, [isFailed]);
  return (
    <section class="stage" aria-label={t.map}>
      {isFailed.value && <p class="notice">{t.failed}</p>}
      <div id="map" ref={element} />
    </section>
  );
}
