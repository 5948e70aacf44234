import { fromTo, t, uuid } from "../../kernel/http/schema";

export const CurrentQuery = t.Object({
  device_id: t.Optional(uuid("The device; if left out, the newest position of all devices")),
});

export const GpsFilter = t.Object({
  device_id: t.Optional(uuid("Only the positions of this device")),
  ...fromTo("positions"),
});
export type GpsFilter = (typeof GpsFilter)["static"];
