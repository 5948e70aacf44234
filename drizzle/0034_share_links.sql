CREATE TABLE `share_link_devices` (
	`link_id` text NOT NULL,
	`device_id` text NOT NULL,
	PRIMARY KEY(`link_id`, `device_id`),
	FOREIGN KEY (`link_id`) REFERENCES `share_links`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `share_link_devices_device` ON `share_link_devices` (`device_id`);--> statement-breakpoint
CREATE TABLE `share_link_zones` (
	`link_id` text NOT NULL,
	`geofence_id` text NOT NULL,
	PRIMARY KEY(`link_id`, `geofence_id`),
	FOREIGN KEY (`link_id`) REFERENCES `share_links`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`geofence_id`) REFERENCES `geofences`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `share_link_zones_zone` ON `share_link_zones` (`geofence_id`);--> statement-breakpoint
CREATE TABLE `share_links` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`label` text,
	`level` text NOT NULL,
	`trip_id` text,
	`from_time` integer,
	`to_time` integer,
	`expires_at` integer NOT NULL,
	`delay_seconds` integer DEFAULT 0 NOT NULL,
	`precision_m` real,
	`made_by` text,
	`made_by_key` text,
	`opened_count` integer DEFAULT 0 NOT NULL,
	`last_opened_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`trip_id`) REFERENCES `trips`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`made_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`made_by_key`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `share_links_token_hash_unique` ON `share_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `share_links_trip` ON `share_links` (`trip_id`);--> statement-breakpoint
CREATE INDEX `share_links_maker` ON `share_links` (`made_by`);--> statement-breakpoint
CREATE INDEX `share_links_key` ON `share_links` (`made_by_key`);--> statement-breakpoint
CREATE INDEX `share_links_expiry` ON `share_links` (`expires_at`);