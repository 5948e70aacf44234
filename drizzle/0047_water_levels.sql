-- Levels are clustered by time and station, which Drizzle can't declare.
CREATE TABLE `water_level_answers` (
	`id` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`etag` text,
	`confirmed_at` integer NOT NULL,
	`stations` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `water_level_stations` (
	`number` integer PRIMARY KEY NOT NULL,
	`station_id` text NOT NULL,
	`newest` integer NOT NULL,
	`complete_from` integer,
	`complete_until` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `water_level_stations_station_id_unique` ON `water_level_stations` (`station_id`);--> statement-breakpoint
CREATE TABLE `water_levels` (
	`quarter` integer NOT NULL,
	`station` integer NOT NULL,
	`level_cm` real NOT NULL,
	PRIMARY KEY(`quarter`, `station`)
) STRICT, WITHOUT ROWID;
