import type { Look } from "../looks";

/** Colours of the map in each look. By night everything is red on black: no other light reaches the eyes. */
export interface Palette {
  sea: string;
  land: string;
  shore: string;
  lake: string;
  text: string;
  /** Names of devices, zones and vessels. */
  name: string;
  halo: string;
  /** Devices, their trails and whatever is chosen. */
  craft: string;
  craftOld: string;
  craftLost: string;
  chosen: string;
  trail: string;
  zone: string;
  vessel: string;
  alarm: string;
  warning: string;
  /** Texts and edges on the signs above. */
  paper: string;
  /** Devices and their trails, told apart by these in turn. */
  hues: readonly string[];
  /** True if no colour but red may be shown. */
  isRed: boolean;
}

/** In each look as many as here. */
export const HUES = 8;

export const PALETTES: Record<Look, Palette> = {
  light: {
    sea: "#dbe8ee",
    land: "#f3efe4",
    shore: "#b3ab94",
    lake: "#dbe8ee",
    text: "#4c5a5f",
    name: "#13252d",
    halo: "#f8f7f2",
    craft: "#0b5e78",
    craftOld: "#5b7884",
    craftLost: "#7b8a90",
    chosen: "#c2410c",
    trail: "#0b5e78",
    zone: "#6b4fa0",
    vessel: "#3f6b4a",
    alarm: "#b91c1c",
    warning: "#a15c00",
    paper: "#ffffff",
    isRed: false,
    hues: ["#0b5e78", "#9c3d6e", "#5c6a12", "#8f4d06", "#4a4fb0", "#0f7358", "#a5352a", "#6a4f3b"],
  },
  dark: {
    sea: "#0e1b23",
    land: "#1c2a2e",
    shore: "#3d5158",
    lake: "#0e1b23",
    text: "#9fb3ba",
    name: "#e4edf0",
    halo: "#0e1b23",
    craft: "#6cc3dc",
    craftOld: "#7f9aa3",
    craftLost: "#6d7f86",
    chosen: "#ffa066",
    trail: "#6cc3dc",
    zone: "#b8a0ea",
    vessel: "#8fc49c",
    alarm: "#ff7a70",
    warning: "#f0b35a",
    paper: "#0b1418",
    isRed: false,
    hues: ["#6cc3dc", "#e59ac2", "#bccb68", "#e9b26d", "#a9adf2", "#74cfae", "#f09a8e", "#cdb19a"],
  },
  night: {
    sea: "#060000",
    land: "#190302",
    shore: "#4d0f0a",
    lake: "#060000",
    text: "#a52a1e",
    name: "#ee4a38",
    halo: "#060000",
    craft: "#e0402f",
    craftOld: "#a52f23",
    craftLost: "#84271d",
    chosen: "#ff5a45",
    trail: "#b8382a",
    zone: "#b8382a",
    vessel: "#a52f23",
    alarm: "#ff5a45",
    warning: "#e0402f",
    paper: "#060000",
    isRed: true,
    hues: ["#e0402f", "#b8382a", "#ff6a55", "#9a2f22", "#d0442f", "#a83426", "#f0523f", "#8f2a1e"],
  },
};
