CREATE TABLE `feed_thinned` (
	`from_number` integer PRIMARY KEY NOT NULL,
	`to_number` integer NOT NULL,
	`rows` integer NOT NULL,
	`seconds` integer NOT NULL,
	`made_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sync_lanes` (
	`lane` text PRIMARY KEY NOT NULL,
	`acknowledged` integer NOT NULL,
	`hash` text NOT NULL,
	`begins` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sync_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`epoch` text NOT NULL,
	`parent` text,
	`feed_epoch` text NOT NULL,
	`include` text NOT NULL,
	`walks` text NOT NULL,
	`released` integer NOT NULL,
	`starts` integer NOT NULL,
	`day` text NOT NULL,
	`day_bytes` integer NOT NULL,
	`last_contact_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `sync_epochs` (
	`box_id` text NOT NULL,
	`epoch` text NOT NULL,
	`lanes` text NOT NULL,
	`sequence` integer NOT NULL,
	`last_contact_at` integer NOT NULL,
	PRIMARY KEY(`box_id`, `epoch`),
	FOREIGN KEY (`box_id`) REFERENCES `boxes`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
DROP INDEX `gps_points_second`;--> statement-breakpoint
ALTER TABLE `gps_points` ADD `box_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `gps_points_second` ON `gps_points` (`device_id`,`timestamp`) WHERE source <> 'api' AND device_id IS NOT NULL AND box_id IS NULL;--> statement-breakpoint
CREATE INDEX `changes_rare` ON `changes` (`number`) WHERE kind NOT IN (0, 1, 5, 6);--> statement-breakpoint
ALTER TABLE `boxes` DROP COLUMN `hashes`;--> statement-breakpoint
ALTER TABLE `boxes` ADD `skipped_rows` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `boxes` ADD `refused_rows` integer DEFAULT 0 NOT NULL;