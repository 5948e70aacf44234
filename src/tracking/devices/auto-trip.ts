/** The rules by which a device makes trips by itself, as they are stored: the type of `AutoTrip` in schema.ts. */
export interface StoredAutoTrip {
  is_enabled: boolean;
  start_after_minutes: number;
  end_after_minutes: number;
  min_distance_km: number;
  name_template: string;
}
