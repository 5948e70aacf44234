-- Bounding boxes of the active zones on the unit sphere in space (see src/tracking/geofences/geometry.ts).
-- In space, no zone wraps around: the 180th meridian and the poles are places like any other.
CREATE VIRTUAL TABLE `geofence_index` USING rtree(`seq`, `min_x`, `max_x`, `min_y`, `max_y`, `min_z`, `max_z`);
