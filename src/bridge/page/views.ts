import type { ComponentType } from "preact";
import { inLanguages } from "./language";
import { shownParts } from "./panels/admin/parts";
import { may } from "./session";
import { hasHistories, managesAny } from "./shares";
import type { IconName } from "./ui/icons";

/**
 * The views of the page. Each is a folder of `panels` and a file of its own for the browser, which comes when it is first asked
 * for.
 */

/**
 * `map`: the map alone. `side`: beside the map, on a phone over it. `half`: beside the map, on a phone below it, for what is done
 * on the map. `wide`: over the map.
 */
export type Layout = "map" | "side" | "half" | "wide";

export interface View {
  name: string;
  icon: IconName;
  title: () => string;
  layout: Layout;
  /** False for users to whom it would show nothing. */
  isShown: () => boolean;
  load: () => Promise<ComponentType>;
}

const titles = inLanguages({
  en: {
    map: "Map",
    devices: "Devices",
    day: "Day",
    zones: "Zones",
    alerts: "Alerts",
    anchor: "Anchor",
    trips: "Trips",
    water: "Water and vessels",
    figures: "Statistics",
    links: "Shared links",
    admin: "Admin",
    me: "My account",
  },
  de: {
    map: "Karte",
    devices: "Geräte",
    day: "Tag",
    zones: "Zonen",
    alerts: "Alarme",
    anchor: "Anker",
    trips: "Fahrten",
    water: "Wasser und Schiffe",
    figures: "Statistik",
    links: "Geteilte Links",
    admin: "Verwaltung",
    me: "Mein Konto",
  },
});

export const VIEWS: readonly View[] = [
  {
    name: "map",
    icon: "map",
    title: () => titles().map,
    layout: "map",
    isShown: () => true,
    load: () => import("./panels/map/MapPanel").then(({ MapPanel }) => MapPanel),
  },
  {
    name: "devices",
    icon: "devices",
    title: () => titles().devices,
    layout: "side",
    isShown: () => true,
    load: () => import("./panels/devices/Devices").then(({ Devices }) => Devices),
  },
  {
    name: "day",
    icon: "day",
    title: () => titles().day,
    layout: "half",
    isShown: () => true,
    load: () => import("./panels/day/Day").then(({ Day }) => Day),
  },
  {
    name: "zones",
    icon: "zones",
    title: () => titles().zones,
    layout: "half",
    isShown: () => may("geofences:read"),
    load: () => import("./panels/zones/Zones").then(({ Zones }) => Zones),
  },
  {
    name: "alerts",
    icon: "alerts",
    title: () => titles().alerts,
    layout: "side",
    // Whoever manages a device by a share makes rules for it.
    isShown: () => may("alerts:read") || managesAny(),
    load: () => import("./panels/alerts/Alerts").then(({ Alerts }) => Alerts),
  },
  {
    name: "anchor",
    icon: "anchor",
    title: () => titles().anchor,
    layout: "half",
    isShown: () => may("alerts:read") || managesAny(),
    load: () => import("./panels/anchor/Anchor").then(({ Anchor }) => Anchor),
  },
  {
    name: "trips",
    icon: "trips",
    title: () => titles().trips,
    layout: "side",
    isShown: () => may("trips:read") || hasHistories(),
    load: () => import("./panels/trips/Trips").then(({ Trips }) => Trips),
  },
  {
    name: "water",
    icon: "water",
    title: () => titles().water,
    layout: "side",
    isShown: () => may("gps:read") || may("pegel:read"),
    load: () => import("./panels/water/Water").then(({ Water }) => Water),
  },
  {
    name: "figures",
    icon: "chart",
    title: () => titles().figures,
    layout: "wide",
    isShown: () => may("gps:read") || hasHistories(),
    load: () => import("./panels/figures/Figures").then(({ Figures }) => Figures),
  },
  {
    name: "links",
    icon: "share",
    title: () => titles().links,
    layout: "side",
    isShown: () => may("devices:write"),
    load: () => import("./panels/links/Links").then(({ Links }) => Links),
  },
  {
    name: "admin",
    icon: "admin",
    title: () => titles().admin,
    layout: "wide",
    isShown: () => shownParts().length > 0,
    load: () => import("./panels/admin/Admin").then(({ Admin }) => Admin),
  },
  {
    name: "me",
    icon: "person",
    title: () => titles().me,
    layout: "side",
    isShown: () => true,
    load: () => import("./panels/me/Me").then(({ Me }) => Me),
  },
];
