/** The address below which everything is served, with a slash at the end: a proxy may put a path before it. */
export const BASE: string = new URL(
  document.documentElement.dataset.base ?? "./",
  location.href,
).href.replace(/[?#].*$/, "");

/** The path before the API's own paths, without a slash at the end; empty at the root of a host. */
export const PREFIX: string = new URL(BASE).pathname.replace(/\/$/, "");
