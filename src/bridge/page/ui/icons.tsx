import type { JSX } from "preact";

/** Icons as lines on a grid of 24. They are decoration: whatever they say stands beside them in words. */

const PATHS = {
  map: "M9 4 3 6.5v13L9 17l6 3 6-2.5v-13L15 7 9 4zM9 4v13M15 7v13",
  devices: "M12 3c4 4 5 8 5 12l-2 6H9l-2-6c0-4 1-8 5-12zM12 10v6",
  day: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
  zones: "M5 7l7-3 7 4-1 9-8 3-6-5z",
  alerts: "M12 4a5 5 0 0 1 5 5v4l2 3H5l2-3V9a5 5 0 0 1 5-5zM10 19a2 2 0 0 0 4 0",
  anchor: "M12 8v12M7 12h10M12 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5 14c0 4 3 6 7 6s7-2 7-6",
  trips: "M5 19c6 0 2-14 8-14M16 8l3-3-3-3M5 19h.01M5 17a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  water: "M3 9c2-2 4-2 6 0s4 2 6 0 4-2 6 0M3 15c2-2 4-2 6 0s4 2 6 0 4-2 6 0",
  vessel: "M4 15h16l-3 5H7zM12 3v12M12 5l6 7h-6",
  chart: "M4 20V4M4 20h16M8 16v-5M12 16V8M16 16v-3",
  admin: "M12 3l8 3v6c0 4-3 7-8 9-5-2-8-5-8-9V6z",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c0-4 3-6 7-6s7 2 7 6",
  more: "M4 12h1M11.5 12h1M19 12h1",
  close: "M6 6l12 12M18 6 6 18",
  back: "M14 6l-6 6 6 6",
  next: "M10 6l6 6-6 6",
  add: "M12 5v14M5 12h14",
  check: "M5 12l5 5 9-10",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  stop: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9 9h6v6H9z",
  gap: "M3 12h3M10.500 12h3M18 12h3",
  follow: "M12 3v4M12 17v4M3 12h4M17 12h4M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  layers: "M12 4l9 5-9 5-9-5zM3 14l9 5 9-5",
  sound: "M5 10v4h3l5 4V6l-5 4zM16 9c1 2 1 4 0 6M19 7c2 3 2 7 0 10",
  mute: "M5 10v4h3l5 4V6l-5 4zM17 10l4 4M21 10l-4 4",
  share: "M7 12h10M13 7l5 5-5 5M6 5v14",
  download: "M12 4v11M8 11l4 4 4-4M5 20h14",
  upload: "M12 15V4M8 8l4-4 4 4M5 20h14",
  edit: "M5 19l1-4L16 5l3 3L9 18z",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5",
  key: "M8 15a4 4 0 1 1 3-6l9 9M16 14l2-2M8 11h.01",
  search: "M11 17a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM16 16l4 4",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 3",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
  battery: "M3 8h15v8H3zM21 11v2M6 11v2",
  moon: "M19 14a8 8 0 1 1-9-10 7 7 0 0 0 9 10z",
  phone: "M8 3h8v18H8zM11 18h2",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 13a1 1 0 1 0 0-2 1 1 0 0 0 0 2z",
  north: "M12 3l5 17-5-4-5 4z",
  settings:
    "M4 7h9M17 7h3M4 17h3M11 17h9M15 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM9 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  undo: "M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
