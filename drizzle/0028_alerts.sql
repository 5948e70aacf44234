CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`rule_id` text,
	`rule_name` text,
	`condition` text NOT NULL,
	`event` text,
	`severity` text NOT NULL,
	`status` text NOT NULL,
	`device_id` text,
	`device_name` text,
	`subject` text,
	`subject_name` text,
	`crossing_id` text,
	`message` text,
	`value` real,
	`latitude` real,
	`longitude` real,
	`position_at` integer,
	`count` integer DEFAULT 1 NOT NULL,
	`is_corrected` integer DEFAULT false NOT NULL,
	`is_told` integer DEFAULT true NOT NULL,
	`told` text NOT NULL,
	`raised_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`cleared_at` integer,
	`acknowledged_at` integer,
	`acknowledged_by` text,
	`acknowledge_note` text,
	`escalate_at` integer,
	`escalated_at` integer,
	FOREIGN KEY (`acknowledged_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`key`) WHERE cleared_at IS NULL;--> statement-breakpoint
CREATE INDEX `alerts_key` ON `alerts` (`key`,`id`);--> statement-breakpoint
CREATE INDEX `alerts_device` ON `alerts` (`device_id`,`id`);--> statement-breakpoint
CREATE INDEX `alerts_device_open` ON `alerts` (`device_id`) WHERE cleared_at IS NULL;--> statement-breakpoint
CREATE INDEX `alerts_rule_open` ON `alerts` (`rule_id`) WHERE cleared_at IS NULL;--> statement-breakpoint
CREATE INDEX `alerts_subject_open` ON `alerts` (`subject`) WHERE cleared_at IS NULL AND subject IS NOT NULL;--> statement-breakpoint
CREATE INDEX `alerts_status` ON `alerts` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `alerts_severity` ON `alerts` (`severity`,`id`);--> statement-breakpoint
CREATE INDEX `alerts_crossing` ON `alerts` (`crossing_id`) WHERE crossing_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `alerts_escalation` ON `alerts` (`escalate_at`) WHERE escalate_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `alerts_age` ON `alerts` (`raised_at`) WHERE cleared_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `alerts_acknowledged` ON `alerts` (`acknowledged_by`) WHERE acknowledged_by IS NOT NULL;--> statement-breakpoint
CREATE TABLE `anchor_watches` (
	`device_id` text PRIMARY KEY NOT NULL,
	`latitude` real NOT NULL,
	`longitude` real NOT NULL,
	`radius_m` real NOT NULL,
	`warning_radius_m` real,
	`silence_seconds` integer NOT NULL,
	`confirm_fixes` integer NOT NULL,
	`severity` text NOT NULL,
	`target_ids` text,
	`dropped_at` integer NOT NULL,
	`set_at` integer NOT NULL,
	`state` text NOT NULL,
	`max_distance_m` real NOT NULL,
	`user_id` text,
	`api_key_id` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `anchor_watches_user` ON `anchor_watches` (`user_id`);--> statement-breakpoint
CREATE INDEX `anchor_watches_key` ON `anchor_watches` (`api_key_id`);--> statement-breakpoint
CREATE TABLE `device_arrivals` (
	`device_id` text PRIMARY KEY NOT NULL,
	`arrived_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `server_life` (
	`id` integer PRIMARY KEY NOT NULL,
	`alive_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `alert_conditions` (
	`rule_id` text NOT NULL,
	`device_id` text NOT NULL,
	`subject` text NOT NULL,
	`since` integer NOT NULL,
	`due_at` integer NOT NULL,
	`sighting` text NOT NULL,
	PRIMARY KEY(`rule_id`, `device_id`, `subject`),
	FOREIGN KEY (`rule_id`) REFERENCES `alert_rules`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `alert_conditions_device` ON `alert_conditions` (`device_id`);--> statement-breakpoint
CREATE INDEX `alert_conditions_due` ON `alert_conditions` (`due_at`);--> statement-breakpoint
CREATE TABLE `alert_untold_sides` (
	`device_id` text PRIMARY KEY NOT NULL,
	`sides` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `alert_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`severity` text NOT NULL,
	`device_ids` text NOT NULL,
	`condition` text NOT NULL,
	`hold_seconds` integer DEFAULT 0 NOT NULL,
	`cooldown_seconds` integer NOT NULL,
	`schedule` text,
	`target_ids` text,
	`escalate_after_seconds` integer,
	`escalate_target_ids` text,
	`message` text,
	`user_id` text,
	`api_key_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `alert_rules_user` ON `alert_rules` (`user_id`);--> statement-breakpoint
CREATE INDEX `alert_rules_key` ON `alert_rules` (`api_key_id`);