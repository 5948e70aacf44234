-- Data from apps and receivers. The unique index holds nothing yet, but is made by a look at each position, which can't go in
-- steps: half a minute for ten million. The one step says so before.
SELECT 1;
--> step
SELECT 0 AS done, coalesce((SELECT value FROM counters WHERE name = 'gps_points'), 0) AS total, 1 AS is_last;
--> finally
CREATE TABLE `idempotent_answers` (
	`credential_id` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`answer` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`credential_id`, `key`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `idempotent_answers_age` ON `idempotent_answers` (`created_at`);--> statement-breakpoint
CREATE TABLE `trackers` (
	`id` text PRIMARY KEY NOT NULL,
	`device_id` text NOT NULL,
	`name` text NOT NULL,
	`format` text NOT NULL,
	`token_hash` text NOT NULL,
	`token_prefix` text NOT NULL,
	`send_zones` integer DEFAULT false NOT NULL,
	`encryption_key` text,
	`user_id` text,
	`api_key_id` text,
	`is_active` integer DEFAULT true NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`rejected_total` integer DEFAULT 0 NOT NULL,
	`last_rejection_at` integer,
	`last_rejection_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `trackers_token_hash_unique` ON `trackers` (`token_hash`);--> statement-breakpoint
CREATE INDEX `trackers_device` ON `trackers` (`device_id`,`id`);--> statement-breakpoint
CREATE INDEX `trackers_user` ON `trackers` (`user_id`);--> statement-breakpoint
CREATE TABLE `trip_spans` (
	`trip_id` text NOT NULL,
	`device_id` text NOT NULL,
	`from_time` integer NOT NULL,
	`until_time` integer,
	FOREIGN KEY (`trip_id`) REFERENCES `trips`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `trip_spans_device` ON `trip_spans` (`device_id`,`from_time`);--> statement-breakpoint
CREATE INDEX `trip_spans_trip` ON `trip_spans` (`trip_id`,`from_time`);--> statement-breakpoint
ALTER TABLE `gps_points` ALTER COLUMN `speed_kmh` DROP NOT NULL;--> statement-breakpoint
ALTER TABLE `gps_points` ALTER COLUMN `speed_mps` DROP NOT NULL;--> statement-breakpoint
ALTER TABLE `gps_points` ALTER COLUMN `speed_mph` DROP NOT NULL;--> statement-breakpoint
ALTER TABLE `gps_points` ALTER COLUMN `speed_knots` DROP NOT NULL;--> statement-breakpoint
ALTER TABLE `gps_points` ADD `accuracy_m` real;--> statement-breakpoint
ALTER TABLE `gps_points` ADD `battery_percent` real;--> statement-breakpoint
ALTER TABLE `gps_points` ADD `source` text DEFAULT 'api' NOT NULL;--> statement-breakpoint
ALTER TABLE `gps_points` ADD `judgement` text;--> statement-breakpoint
CREATE UNIQUE INDEX `gps_points_second` ON `gps_points` (`device_id`,`timestamp`) WHERE source <> 'api' AND device_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `devices` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `max_speed_kmh` real;--> statement-breakpoint
CREATE UNIQUE INDEX `devices_external_id_unique` ON `devices` (`external_id`);--> statement-breakpoint
-- The times in which trips logged until now, from their status histories; whether their logging was off in between is not known.
INSERT INTO trip_spans SELECT trip_id, device_id, from_time, until_time FROM (
	SELECT h.trip_id, t.device_id, h.changed_at AS from_time, h.new_status,
		lead(h.changed_at) OVER (PARTITION BY h.trip_id ORDER BY h.changed_at, h.id) AS until_time
	FROM trip_status_history h JOIN trips t ON t.id = h.trip_id
	WHERE t.device_id IS NOT NULL AND t.gps_logging_enabled = 1
) WHERE new_status = 'active';
