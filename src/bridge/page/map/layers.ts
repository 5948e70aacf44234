import { stored } from "../stored";

/** Things that the map shows beside the devices: each can be switched off, and the browser keeps the choice. */

const layer = (name: string) => stored(`layer.${name}`, ["on", "off"], "on");

export const layers = {
  trails: layer("trails"),
  zones: layer("zones"),
  vessels: layer("vessels"),
  water: layer("water"),
};

export type LayerName = keyof typeof layers;

export const isShown = (name: LayerName): boolean => layers[name].value === "on";
