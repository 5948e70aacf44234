import { effect, type Signal, signal } from "@preact/signals";
import {
  AJAXError,
  AttributionControl,
  type LayerSpecification,
  Map as MapLibre,
  type SourceSpecification,
  setWorkerUrl,
} from "maplibre-gl";
import css from "maplibre-gl/dist/maplibre-gl.css" with { type: "file" };
import { api, call } from "../api";
import { BASE } from "../base";
import { inLanguages, locale } from "../language";
import { look, prefersStillness } from "../looks";
import { storedNames } from "../stored";
import { PALETTES, type Palette } from "./palette";
import { type Chart, mapStyle, ownLayers } from "./style";

/** The map, and the parts that are drawn on it. */

/** Something that is drawn on the map: its sources and layers, in every look. */
export interface Part {
  /** Begins the names of its sources and layers. */
  name: string;
  /** Parts with a higher order lie above. */
  order: number;
  sources: () => Record<string, SourceSpecification>;
  layers: (palette: Palette) => LayerSpecification[];
  /** Called whenever its layers are there anew: puts pictures and data in. */
  fill: () => void;
}

export interface Stage {
  readonly map: MapLibre;
  /** Draws a part, now and whenever the style changes. Returns the function that takes it away. */
  add: (part: Part) => () => void;
  /** Charts that there are, and the names of those that are hidden, which the browser keeps. */
  readonly charts: Signal<readonly Chart[]>;
  readonly hidden: Signal<ReadonlySet<string>>;
  /** Names of charts that can't be drawn whole: their style, or a tile of theirs, is wrong. */
  readonly faulty: Signal<ReadonlySet<string>>;
  /** Learns which charts there are now. */
  readonly readCharts: () => Promise<void>;
  readonly palette: () => Palette;
}

/** Addresses of files are relative to the script. */
const beside = (file: string): string => new URL(file, import.meta.url).href;

/** Without a chart of the operator's, the coast says nothing below this zoom. */
const MAX_ZOOM = 14;
const MAX_ZOOM_OF_CHARTS = 20;

const words = inLanguages({
  en: {
    "AttributionControl.ToggleAttribution": "Sources of the map",
    "Map.Title": "Map",
  },
  de: {
    "AttributionControl.ToggleAttribution": "Quellen der Karte",
    "Map.Title": "Karte",
  },
});

const NOT_FOR_NAVIGATION = inLanguages({ en: "Not for navigation", de: "Nicht zur Navigation" });

function loadStyleSheet(): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = beside(css);
    link.onload = () => resolve();
    link.onerror = () => reject(new Error("the style of the map can't be loaded"));
    // Before the page's own sheet, which restyles the controls.
    document.head.prepend(link);
  });
}

/** Charts as the API lists them; the coast alone for whoever isn't signed in. */
const readCharts = async (): Promise<readonly Chart[]> => (await call(() => api.GET("/v1/charts"))).data;

/** The nearest that the map may be looked at with these charts. */
const maxZoomOf = (charts: readonly Chart[]): number =>
  charts.every(({ built_in }) => built_in) ? MAX_ZOOM : MAX_ZOOM_OF_CHARTS;

/** Begins to draw the map. Rejects if its files can't be loaded. */
export async function startStage(container: HTMLElement): Promise<Stage> {
  setWorkerUrl(new URL(document.documentElement.dataset.worker ?? "", BASE).href);
  const [found] = await Promise.all([readCharts(), loadStyleSheet()]);
  const charts = signal(found);
  const hidden = storedNames("charts.hidden");
  const palette = () => PALETTES[look.peek()];
  const shown = () => charts.value.filter(({ name }) => !hidden.value.has(name));
  const map = new MapLibre({
    container,
    style: mapStyle(shown(), look.peek(), locale.peek()),
    center: [10, 54],
    zoom: 4,
    maxZoom: maxZoomOf(shown()),
    // The operator's charts are for whoever is signed in: the cookie counts beside this header alone.
    transformRequest: (url) => ({
      url,
      ...(url.startsWith(BASE) && { headers: { "X-Fairlead-Page": "1" } }),
    }),
    attributionControl: false,
    locale: words(),
    fadeDuration: prefersStillness() ? 0 : 150,
    // A chart is held north up unless it is turned on purpose; tilting hides the far side.
    pitchWithRotate: false,
    maxPitch: 0,
  });
  map.touchPitch.disable();
  let attribution: AttributionControl | null = null;
  effect(() => {
    if (attribution) map.removeControl(attribution);
    attribution = new AttributionControl({ compact: true, customAttribution: NOT_FOR_NAVIGATION() });
    map.addControl(attribution, "bottom-right");
  });
  /** The chart whose layers are being added. */
  let added: string | null = null;
  const faulty = signal<ReadonlySet<string>>(new Set());
  map.on("error", (event) => {
    const { error } = event;
    const sourceId = "sourceId" in event ? event.sourceId : null;
    // The browser tells of requests that fail; the map asks again when it is moved. A tile that can't be read is not found.
    const isUnreadable = error instanceof AJAXError && error.status === 404;
    if (error instanceof TypeError || (error instanceof AJAXError && !isUnreadable)) return;
    const chart = added ?? charts.peek().find(({ name }) => name === sourceId)?.name;
    // A chart may hold anything: its owner is told beside its name.
    if (chart !== undefined) faulty.value = new Set([...faulty.peek(), chart]);
    else if (!isUnreadable) reportError(error);
  });
  const drawCharts = () => {
    for (const { chart, layer, before } of ownLayers(shown(), look.peek(), locale.peek())) {
      added = chart;
      map.addLayer(layer, before);
    }
    added = null;
  };

  const parts: Part[] = [];
  const firstLayerAbove = ({ order, name }: Part): string | undefined =>
    parts
      .filter((other) => other.order > order && other.name !== name)
      .flatMap((other) => other.layers(palette()).map(({ id }) => id))
      .find((id) => map.getLayer(id));
  const draw = (part: Part) => {
    const above = firstLayerAbove(part);
    for (const [name, source] of Object.entries(part.sources())) map.addSource(name, source);
    for (const layer of part.layers(palette())) map.addLayer(layer, above);
    part.fill();
  };
  const erase = (part: Part) => {
    for (const { id } of part.layers(palette())) if (map.getLayer(id)) map.removeLayer(id);
    for (const name of Object.keys(part.sources())) if (map.getSource(name)) map.removeSource(name);
  };

  await new Promise<void>((resolve) => map.once("style.load", () => resolve()));
  // Another look or other charts are another style, which holds no parts: they are drawn again.
  let isFirst = true;
  let isStyled = true;
  effect(() => {
    const style = mapStyle(shown(), look.value, locale.value);
    if (isFirst) {
      isFirst = false;
      return;
    }
    isStyled = false;
    map.setMaxZoom(maxZoomOf(shown()));
    map.setStyle(style, { diff: false });
  });
  drawCharts();
  map.on("style.load", () => {
    isStyled = true;
    drawCharts();
    parts.forEach(draw);
  });

  const add = (part: Part) => {
    const at = parts.findIndex(({ order }) => order > part.order);
    parts.splice(at === -1 ? parts.length : at, 0, part);
    // While a style is being loaded, all parts are drawn once it is there.
    if (isStyled) draw(part);
    return () => {
      parts.splice(parts.indexOf(part), 1);
      erase(part);
    };
  };
  const refresh = async () => {
    try {
      const now = await readCharts();
      if (JSON.stringify(now) === JSON.stringify(charts.peek())) return;
      faulty.value = new Set();
      charts.value = now;
    } catch {
      // Those that were there stay.
    }
  };
  return { map, add, charts, hidden, faulty, readCharts: refresh, palette };
}
