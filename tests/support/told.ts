/** The fields of a position that came after the first version, which `gpsUpdate` doesn't carry. */
const ADDED = ["accuracy_m", "battery_percent", "source", "is_outlier", "outlier_reason", "box_id"];

/** A position of REST as `gpsUpdate` carries it. */
export const told = (point: object) =>
  Object.fromEntries(Object.entries(point).filter(([field]) => !ADDED.includes(field)));
