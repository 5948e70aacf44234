import { computed, signal } from "@preact/signals";
import { stored } from "./stored";

/** Looks of the page: light and dark follow the system unless chosen; night is red, for eyes that must see in the dark. */

export type Look = "light" | "dark" | "night";

const system = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(system.matches);
system.addEventListener("change", ({ matches }) => {
  systemIsDark.value = matches;
});

export const chosenLook = stored("look", ["auto", "light", "dark", "night"], "auto");

export const look = computed<Look>(() => {
  if (chosenLook.value !== "auto") return chosenLook.value;
  return systemIsDark.value ? "dark" : "light";
});

look.subscribe((value) => {
  document.documentElement.dataset.look = value;
});

/** True if the reader wants nothing to move by itself. */
export const prefersStillness = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
