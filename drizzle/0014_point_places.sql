-- Positions by day and by quarter of an hour, for lists recorded before these were counted: see src/tracking/gps/places.ts.
INSERT INTO counters
SELECT 'gps_points day ' || printf('%08d', timestamp / 86400000), count(*) FROM gps_points GROUP BY 1;
--> statement-breakpoint
INSERT INTO counters
SELECT 'gps_points quarter ' || printf('%08d', timestamp / 900000), count(*) FROM gps_points GROUP BY 1;
--> statement-breakpoint
INSERT INTO counters
SELECT 'trip_points ' || trip_id || ' day ' || printf('%08d', timestamp / 86400000), count(*)
FROM gps_points WHERE trip_id IN (SELECT id FROM trips) GROUP BY 1;
--> statement-breakpoint
INSERT INTO counters
SELECT 'trip_points ' || trip_id || ' quarter ' || printf('%08d', timestamp / 900000), count(*)
FROM gps_points WHERE trip_id IN (SELECT id FROM trips) GROUP BY 1;
