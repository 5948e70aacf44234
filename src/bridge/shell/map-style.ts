/** Controls and parts of the map's library that the page doesn't have: their pictures are most of its style. */
const UNUSED =
  /maplibregl-(?:ctrl-(?:group|compass|zoom|geolocate|fullscreen|shrink|globe|terrain|logo|scale|icon)|ctrl button|popup|marker|user-location|cooperative)/;

/** The style of the map's library without what is unused here. */
export const usedStyle = (css: string): string =>
  css.replaceAll(/([^{}]+)(\{[^{}]*\})/g, (_, selectors: string, declarations: string) => {
    const used = selectors.split(",").filter((selector) => !UNUSED.test(selector));
    return used.length === 0 ? "" : `${used.join(",")}${declarations}`;
  });
