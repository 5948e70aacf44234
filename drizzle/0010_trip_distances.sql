-- How far the trips went that were recorded before their distance was counted: see src/tracking/trips/distance.ts.
INSERT INTO counters
SELECT 'trip_mm ' || trip_id, CAST(round(sum(2 * 6371008800.0 * asin(min(1, sqrt(
	pow(sin(radians(latitude - from_latitude) / 2), 2)
	+ cos(radians(from_latitude)) * cos(radians(latitude)) * pow(sin(radians(longitude - from_longitude) / 2), 2)
))))) AS INTEGER)
FROM (
	SELECT trip_id, latitude, longitude, lag(latitude) OVER legs AS from_latitude, lag(longitude) OVER legs AS from_longitude
	FROM gps_points WHERE trip_id IN (SELECT id FROM trips)
	WINDOW legs AS (PARTITION BY trip_id ORDER BY timestamp, rowid)
) WHERE from_latitude IS NOT NULL GROUP BY trip_id;
--> statement-breakpoint
INSERT INTO counters
SELECT 'completed_trip_mm', sum(counters.value) FROM trips JOIN counters ON counters.name = 'trip_mm ' || trips.id
WHERE trips.status = 'completed' HAVING sum(counters.value) IS NOT NULL;
