CREATE TABLE `log_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`trip_id` text NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`user_id` text,
	`api_key_id` text,
	`is_automatic` integer NOT NULL,
	`text` text,
	`data` text,
	`strikes_id` text,
	`previous_hash` text,
	`hash` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `log_entries_number` ON `log_entries` (`trip_id`,`number`);--> statement-breakpoint
CREATE INDEX `log_entries_automatic` ON `log_entries` (`trip_id`,`number`) WHERE is_automatic = 1;--> statement-breakpoint
CREATE UNIQUE INDEX `log_entries_strikes` ON `log_entries` (`strikes_id`) WHERE strikes_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `log_entries_user` ON `log_entries` (`user_id`,`id`) WHERE user_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `log_removals` (
	`trip_id` text PRIMARY KEY NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `trips` ADD `log_interval_minutes` integer DEFAULT 60 NOT NULL;