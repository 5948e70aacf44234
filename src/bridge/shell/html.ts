import type { PageBundle } from "./bundle";

/** The two documents that the page begins with. Their addresses are relative: a proxy may serve the whole below a path. */

type Entries = PageBundle["entries"];

const page = (base: string, script: string, { style, worker, socket }: Entries): string => `<!doctype html>
<html lang="en" data-base="${base}" data-worker="bridge/assets/${worker}" data-socket="bridge/assets/${socket}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Fairlead</title>
<link rel="icon" href="${base}bridge/icon.svg" type="image/svg+xml">
<link rel="manifest" href="${base}bridge/manifest.webmanifest">
<link rel="stylesheet" href="${base}bridge/assets/${style}">
<script type="module" src="${base}bridge/assets/${script}"></script>
</head>
<body>
<div id="app"><noscript>This page needs JavaScript.</noscript></div>
</body>
</html>
`;

export const bridgePage = (entries: Entries): string => page("./", entries.script, entries);

export const sharedPage = (entries: Entries): string => page("../", entries.shared, entries);

/** Tells a phone how to show the page from its home screen. Addresses are relative to that of the manifest. */
export const MANIFEST = {
  name: "Fairlead",
  short_name: "Fairlead",
  start_url: "../",
  scope: "../",
  display: "standalone",
  background_color: "#f4f6f5",
  theme_color: "#0b4a5c",
  icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml" }],
};
