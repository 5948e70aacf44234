CREATE TABLE `auto_trips` (
	`device_id` text PRIMARY KEY NOT NULL,
	`trip_id` text,
	`settled_to` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`trip_id`) REFERENCES `trips`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `auto_trips_trip` ON `auto_trips` (`trip_id`);--> statement-breakpoint
CREATE TABLE `timeline_parts` (
	`device_id` text NOT NULL,
	`from_time` integer NOT NULL,
	`until_time` integer NOT NULL,
	`is_last` integer NOT NULL,
	`begun_time` integer NOT NULL,
	`decided_time` integer NOT NULL,
	`kind` text NOT NULL,
	`legs` integer NOT NULL,
	`distance_mm` integer NOT NULL,
	`highest_kmh` real,
	`second_kmh` real,
	`south` real NOT NULL,
	`north` real NOT NULL,
	`west` real NOT NULL,
	`east` real NOT NULL,
	`west_360` real NOT NULL,
	`east_360` real NOT NULL,
	PRIMARY KEY(`device_id`, `until_time`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `timeline_segments` (
	`device_id` text NOT NULL,
	`from_time` integer NOT NULL,
	`until_time` integer NOT NULL,
	`kind` text NOT NULL,
	`legs` integer NOT NULL,
	`distance_mm` integer NOT NULL,
	`highest_kmh` real,
	`second_kmh` real,
	`start_latitude` real NOT NULL,
	`start_longitude` real NOT NULL,
	`end_latitude` real NOT NULL,
	`end_longitude` real NOT NULL,
	PRIMARY KEY(`device_id`, `from_time`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `timeline_spans` (
	`device_id` text PRIMARY KEY NOT NULL,
	`begun_from` integer NOT NULL,
	`from_time` integer NOT NULL,
	`to_time` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `timeline_spans_begun` ON `timeline_spans` (`begun_from`);--> statement-breakpoint
ALTER TABLE `devices` ADD `stop_radius_m` real DEFAULT 75 NOT NULL;--> statement-breakpoint
ALTER TABLE `devices` ADD `stop_minutes` integer DEFAULT 5 NOT NULL;--> statement-breakpoint
ALTER TABLE `devices` ADD `gap_minutes` integer DEFAULT 30 NOT NULL;--> statement-breakpoint
ALTER TABLE `devices` ADD `auto_trip` text;--> statement-breakpoint
CREATE INDEX `locations_place` ON `locations` (`latitude`,`longitude`) WHERE latitude IS NOT NULL;--> statement-breakpoint
INSERT INTO timeline_spans (device_id, begun_from, from_time, to_time)
SELECT id, first, first, 9007199254740991
FROM (SELECT id, (SELECT timestamp FROM gps_points WHERE device_id = devices.id ORDER BY timestamp LIMIT 1) AS first FROM devices)
WHERE first IS NOT NULL;
