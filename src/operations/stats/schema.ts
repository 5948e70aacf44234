import { out, record } from "../../kernel/http/schema";

export const PublicStats = record(
  "PublicStats",
  {
    users_total: out.integer("Users who are not deleted", 12),
    devices_total: out.integer("Devices", 4),
    trips_total: out.integer("Trips", 320),
    trips_active: out.integer("Trips that are under way", 2),
    trips_completed: out.integer("Trips that were completed", 301),
    gps_points_total: out.integer("Positions", 1_204_311),
    distance_km_total: out.number("Kilometres along the positions of all completed trips", 5210.4),
    locations_total: out.integer("Locations", 18),
    geofences_total: out.integer("Zones", 9),
    generated_at: out.time("When these figures were read"),
  },
  "The installation in figures",
);
export type PublicStats = (typeof PublicStats)["static"];
