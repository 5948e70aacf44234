CREATE TABLE `boxes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`token_prefix` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`epoch` text,
	`acknowledged` text DEFAULT '{}' NOT NULL,
	`hashes` text DEFAULT '{}' NOT NULL,
	`last_contact_at` integer,
	`backlog_estimate` integer,
	`bytes_today` integer DEFAULT 0 NOT NULL,
	`bytes_date` text,
	`clock_offset_ms` integer,
	`version` text,
	`assigned_version` integer DEFAULT 0 NOT NULL,
	`assigned_tag` text,
	`applied_version` integer,
	`error` text,
	`ended_at` integer,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `boxes_token_hash_unique` ON `boxes` (`token_hash`);--> statement-breakpoint
CREATE TABLE `box_rules` (
	`box_id` text NOT NULL,
	`rule_id` text NOT NULL,
	`is_silent` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`box_id`, `rule_id`),
	FOREIGN KEY (`box_id`) REFERENCES `boxes`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`rule_id`) REFERENCES `alert_rules`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `box_rules_rule` ON `box_rules` (`rule_id`);--> statement-breakpoint
CREATE TABLE `box_zones` (
	`box_id` text NOT NULL,
	`geofence_id` text NOT NULL,
	PRIMARY KEY(`box_id`, `geofence_id`),
	FOREIGN KEY (`box_id`) REFERENCES `boxes`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`geofence_id`) REFERENCES `geofences`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `box_zones_zone` ON `box_zones` (`geofence_id`);--> statement-breakpoint
CREATE TABLE `shore_set` (
	`tag` text,
	`version` integer,
	`refused_tag` text,
	`refused_at` integer,
	`error` text
) STRICT;
--> statement-breakpoint
DROP INDEX `devices_external_id_unique`;--> statement-breakpoint
ALTER TABLE `devices` ADD `box_id` text REFERENCES boxes(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `devices_external_id` ON `devices` (`external_id`) WHERE box_id IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `devices_box_external_id` ON `devices` (`box_id`,`external_id`) WHERE box_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `devices_box` ON `devices` (`box_id`) WHERE box_id IS NOT NULL;--> statement-breakpoint
DROP INDEX `alerts_open`;--> statement-breakpoint
ALTER TABLE `alerts` ADD `box_id` text REFERENCES boxes(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE INDEX `alerts_box` ON `alerts` (`box_id`,`id`) WHERE box_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`key`) WHERE cleared_at IS NULL AND box_id IS NULL;--> statement-breakpoint
DROP INDEX `trips_one_active_logger`;--> statement-breakpoint
ALTER TABLE `trips` ADD `box_id` text REFERENCES boxes(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE INDEX `trips_box` ON `trips` (`box_id`,`id`) WHERE box_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `trips_one_active_logger` ON `trips` (`device_id`) WHERE status = 'active' AND gps_logging_enabled = 1 AND device_id IS NOT NULL AND box_id IS NULL;--> statement-breakpoint
ALTER TABLE `alert_rules` ADD `is_from_shore` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `geofence_events` ADD `box_id` text;--> statement-breakpoint
ALTER TABLE `geofences` ADD `is_from_shore` integer DEFAULT false NOT NULL;