-- Positions of each device by spans of time: see src/tracking/gps/places.ts. Ten million take half a minute, so they are
-- counted in steps. A start that was killed goes on here, unless an older version has changed positions since.
CREATE TABLE IF NOT EXISTS __device_points (
	points integer NOT NULL,
	newest text,
	device text,
	from_time integer NOT NULL,
	to_time integer NOT NULL,
	done integer NOT NULL,
	total integer NOT NULL
) STRICT;
--> statement-breakpoint
DELETE FROM __device_points WHERE points <> (SELECT count(*) FROM gps_points)
	OR newest IS NOT (SELECT id FROM gps_points ORDER BY rowid DESC LIMIT 1);
--> statement-breakpoint
DELETE FROM counters WHERE name >= 'device_points ' AND name < 'device_points!' AND NOT EXISTS (SELECT 1 FROM __device_points);
--> statement-breakpoint
INSERT INTO __device_points
SELECT (SELECT count(*) FROM gps_points), (SELECT id FROM gps_points ORDER BY rowid DESC LIMIT 1),
	(SELECT min(id) FROM devices), -1, -1, 0, (SELECT count(*) FROM gps_points WHERE device_id IS NOT NULL)
WHERE NOT EXISTS (SELECT 1 FROM __device_points);
--> step
UPDATE __device_points SET to_time = coalesce((
	SELECT timestamp FROM gps_points WHERE device_id = device AND timestamp > from_time ORDER BY timestamp LIMIT 1 OFFSET 99999
), 9007199254740991);
--> statement-breakpoint
INSERT INTO counters SELECT 'device_points ' || device_id, count(*) FROM gps_points
WHERE device_id = (SELECT device FROM __device_points) AND timestamp > (SELECT from_time FROM __device_points)
	AND timestamp <= (SELECT to_time FROM __device_points)
GROUP BY 1 ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;
--> statement-breakpoint
INSERT INTO counters SELECT 'device_points ' || device_id || ' quarter ' || printf('%08d', timestamp / 900000), count(*) FROM gps_points
WHERE device_id = (SELECT device FROM __device_points) AND timestamp > (SELECT from_time FROM __device_points)
	AND timestamp <= (SELECT to_time FROM __device_points)
GROUP BY 1 ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;
--> statement-breakpoint
INSERT INTO counters SELECT 'device_points ' || device_id || ' day ' || printf('%08d', timestamp / 86400000), count(*) FROM gps_points
WHERE device_id = (SELECT device FROM __device_points) AND timestamp > (SELECT from_time FROM __device_points)
	AND timestamp <= (SELECT to_time FROM __device_points)
GROUP BY 1 ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;
--> statement-breakpoint
INSERT INTO counters SELECT 'device_points ' || device_id || ' season ' || printf('%08d', timestamp / 11059200000), count(*) FROM gps_points
WHERE device_id = (SELECT device FROM __device_points) AND timestamp > (SELECT from_time FROM __device_points)
	AND timestamp <= (SELECT to_time FROM __device_points)
GROUP BY 1 ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;
--> statement-breakpoint
UPDATE __device_points SET done = done + (SELECT count(*) FROM gps_points
	WHERE device_id = device AND timestamp > from_time AND timestamp <= to_time);
--> statement-breakpoint
UPDATE __device_points SET from_time = iif(to_time = 9007199254740991, -1, to_time),
	device = iif(to_time = 9007199254740991, (SELECT min(id) FROM devices WHERE id > device), device);
--> statement-breakpoint
SELECT done, total, device IS NULL AS is_last FROM __device_points;
--> finally
DROP TABLE __device_points;
--> statement-breakpoint
-- The counters of trips that were being deleted went with their positions until now.
INSERT OR IGNORE INTO gps_detachments SELECT 'list', 'trip_points ' || reference FROM gps_detachments WHERE kind = 'trip';
--> statement-breakpoint
-- Trips by device, category and status, and each list by spans of time: see src/tracking/trips/lists.ts.
CREATE TEMP TABLE trip_lists AS
WITH times AS (
	SELECT device_id, category_id, status, CASE WHEN started_at IS NULL THEN created_at ELSE started_at END AS time FROM trips
), roots AS (
	SELECT 'trips' AS root, status, time FROM times
	UNION ALL SELECT 'device_trips ' || device_id, status, time FROM times WHERE device_id IS NOT NULL
	UNION ALL SELECT 'category_trips ' || category_id, status, time FROM times WHERE category_id IS NOT NULL
	UNION ALL SELECT 'category_trips ' || category_id || ' device ' || device_id, status, time FROM times
		WHERE category_id IS NOT NULL AND device_id IS NOT NULL
)
SELECT root AS list, time FROM roots UNION ALL SELECT root || ' ' || status, time FROM roots;
--> statement-breakpoint
INSERT INTO counters SELECT list, count(*) FROM trip_lists WHERE list NOT GLOB 'trips*' GROUP BY 1;
--> statement-breakpoint
INSERT INTO counters SELECT list || ' quarter ' || printf('%08d', time / 900000), count(*) FROM trip_lists GROUP BY 1;
--> statement-breakpoint
INSERT INTO counters SELECT list || ' day ' || printf('%08d', time / 86400000), count(*) FROM trip_lists GROUP BY 1;
--> statement-breakpoint
INSERT INTO counters SELECT list || ' season ' || printf('%08d', time / 11059200000), count(*) FROM trip_lists GROUP BY 1;
--> statement-breakpoint
DROP TABLE temp.trip_lists;
--> statement-breakpoint
DROP INDEX `trips_device`;--> statement-breakpoint
DROP INDEX `trips_category`;--> statement-breakpoint
CREATE INDEX `trips_began` ON `trips` (CASE WHEN started_at IS NULL THEN created_at ELSE started_at END);--> statement-breakpoint
CREATE INDEX `trips_status_began` ON `trips` (`status`,CASE WHEN started_at IS NULL THEN created_at ELSE started_at END);--> statement-breakpoint
CREATE INDEX `trips_device_status` ON `trips` (`device_id`,`status`,CASE WHEN started_at IS NULL THEN created_at ELSE started_at END);--> statement-breakpoint
CREATE INDEX `trips_category_status` ON `trips` (`category_id`,`status`,CASE WHEN started_at IS NULL THEN created_at ELSE started_at END);--> statement-breakpoint
CREATE INDEX `trips_category_device` ON `trips` (`category_id`,`device_id`,CASE WHEN started_at IS NULL THEN created_at ELSE started_at END);--> statement-breakpoint
CREATE INDEX `trips_category_device_status` ON `trips` (`category_id`,`device_id`,`status`,CASE WHEN started_at IS NULL THEN created_at ELSE started_at END);--> statement-breakpoint
CREATE INDEX `trips_device` ON `trips` (`device_id`,CASE WHEN started_at IS NULL THEN created_at ELSE started_at END);--> statement-breakpoint
CREATE INDEX `trips_category` ON `trips` (`category_id`,CASE WHEN started_at IS NULL THEN created_at ELSE started_at END);
