-- Zones of other shapes, rules against flapping, and crossings that are kept. Zones that are there begin to watch now: what they hold stays inside, and earlier crossings are not made up.
CREATE TABLE `device_tracks` (
	`device_id` text PRIMARY KEY NOT NULL,
	`first_row` integer NOT NULL,
	`purged_to` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `geofence_events` (
	`id` text PRIMARY KEY NOT NULL,
	`geofence_id` text NOT NULL,
	`geofence_name` text NOT NULL,
	`device_id` text NOT NULL,
	`device_name` text NOT NULL,
	`event` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`latitude` real NOT NULL,
	`longitude` real NOT NULL,
	`distance_km` real NOT NULL,
	`gps_point_id` text,
	`trip_id` text,
	`is_late` integer DEFAULT false NOT NULL,
	`superseded_at` integer,
	`watch_from` integer NOT NULL,
	`shown_at` integer NOT NULL,
	`shown_row` integer NOT NULL,
	FOREIGN KEY (`trip_id`) REFERENCES `trips`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `geofence_events_time` ON `geofence_events` (`occurred_at`);--> statement-breakpoint
CREATE INDEX `geofence_events_device` ON `geofence_events` (`device_id`,`occurred_at`);--> statement-breakpoint
CREATE INDEX `geofence_events_zone` ON `geofence_events` (`geofence_id`,`occurred_at`);--> statement-breakpoint
CREATE INDEX `geofence_events_trip` ON `geofence_events` (`trip_id`,`occurred_at`) WHERE trip_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `geofence_events_visits` ON `geofence_events` (`geofence_id`,`occurred_at`) WHERE superseded_at IS NULL AND event IN ('enter', 'begin');--> statement-breakpoint
CREATE INDEX `geofence_events_shown` ON `geofence_events` (`device_id`,`shown_at`,`shown_row`) WHERE superseded_at IS NULL;--> statement-breakpoint
CREATE INDEX `geofence_events_sides` ON `geofence_events` (`device_id`,`geofence_id`,`shown_at`,`shown_row`) WHERE superseded_at IS NULL AND event IN ('enter', 'exit', 'begin', 'end');--> statement-breakpoint
CREATE TABLE `geofence_fronts` (
	`device_id` text NOT NULL,
	`moment_row` integer NOT NULL,
	`front` integer NOT NULL,
	PRIMARY KEY(`device_id`, `moment_row`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `geofence_spans` (
	`device_id` text PRIMARY KEY NOT NULL,
	`begun_from` integer NOT NULL,
	`from_time` integer NOT NULL,
	`to_time` integer NOT NULL,
	`changed_zones` text DEFAULT '[]' NOT NULL,
	`changed_from` integer,
	`changed_to` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `is_inside` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `since` integer;--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `has_dwelled` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `pending_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `pending_point` text;--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `pending_trip` text;--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `pending_time` integer;--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `pending_latitude` real;--> statement-breakpoint
ALTER TABLE `geofence_presence` ADD `pending_longitude` real;--> statement-breakpoint
ALTER TABLE `geofences` ADD `kind` text DEFAULT 'circle' NOT NULL;--> statement-breakpoint
ALTER TABLE `geofences` ADD `width_m` real;--> statement-breakpoint
ALTER TABLE `geofences` ADD `enter_after_s` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `geofences` ADD `exit_after_s` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `geofences` ADD `confirm_fixes` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `geofences` ADD `exit_margin_m` real;--> statement-breakpoint
ALTER TABLE `geofences` ADD `max_accuracy_m` real;--> statement-breakpoint
ALTER TABLE `geofences` ADD `dwell_seconds` integer;--> statement-breakpoint
ALTER TABLE `geofences` ADD `color` text;--> statement-breakpoint
ALTER TABLE `geofences` ADD `watch_from` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `geofences` ADD `watch_row` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `geofences` ADD `geometry` text;--> statement-breakpoint
CREATE INDEX `geofences_accuracy` ON `geofences` (`max_accuracy_m`) WHERE max_accuracy_m IS NOT NULL;--> statement-breakpoint
UPDATE geofences SET watch_from = CAST(unixepoch('subsec') * 1000 AS INTEGER), watch_row = (SELECT coalesce(max(rowid), 0) FROM gps_points);
--> statement-breakpoint
INSERT INTO device_tracks (device_id, first_row) SELECT id, 0 FROM devices WHERE EXISTS (SELECT 1 FROM gps_points WHERE device_id = devices.id);
--> statement-breakpoint
INSERT INTO geofence_fronts
SELECT id, (SELECT coalesce(max(rowid), 0) FROM gps_points), front
FROM (SELECT id, (SELECT timestamp FROM gps_points WHERE device_id = devices.id ORDER BY timestamp DESC LIMIT 1) AS front FROM devices)
WHERE front IS NOT NULL AND abs(front / 1000 - unixepoch() + 1296000) > 1296000;
--> statement-breakpoint
INSERT INTO geofence_events
	(id, geofence_id, geofence_name, device_id, device_name, event, occurred_at, recorded_at, latitude, longitude, distance_km, watch_from, shown_at, shown_row)
SELECT
	lower(printf('%08x-%04x-7', z.watch_from / 65536, z.watch_from % 65536) || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
	z.id, z.name, d.id, d.name, 'begin', z.watch_from, z.watch_from, z.latitude, z.longitude, 0, z.watch_from, coalesce(p.timestamp, 0), coalesce(p.rowid, 0)
FROM geofence_presence i JOIN geofences z ON z.seq = i.geofence_seq JOIN devices d ON d.id = i.device_id
LEFT JOIN gps_points p ON p.rowid = (
	SELECT rowid FROM gps_points WHERE device_id = d.id AND (judgement IS NULL OR judgement = 'cleared') ORDER BY timestamp DESC, rowid DESC LIMIT 1);
--> statement-breakpoint
UPDATE geofence_presence SET since = (SELECT watch_from FROM geofences WHERE seq = geofence_seq);
