CREATE TABLE `integration_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`started_by_kind` text NOT NULL,
	`started_by_hash` text NOT NULL,
	`platform` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`scopes` text NOT NULL,
	`code_verifier` text,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `integration_states_user` ON `integration_states` (`user_id`);--> statement-breakpoint
CREATE INDEX `integration_states_expiry` ON `integration_states` (`expires_at`);--> statement-breakpoint
CREATE TABLE `integrations` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`username` text NOT NULL,
	`display_name` text,
	`profile_image_url` text,
	`scopes` text NOT NULL,
	`is_active` integer NOT NULL,
	`bot_status` text NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`token_expires_at` integer,
	`validated_at` integer,
	`connected_at` integer NOT NULL,
	`last_refreshed_at` integer,
	`removed_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `integrations_identity` ON `integrations` (`user_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE INDEX `integrations_validation` ON `integrations` (`platform`,`validated_at`);--> statement-breakpoint
CREATE TABLE `system_settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`description` text,
	`is_public` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `location_contacts` (
	`id` text PRIMARY KEY NOT NULL,
	`location_id` text NOT NULL,
	`name` text NOT NULL,
	`phone` text,
	`email` text,
	`role` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`location_id`) REFERENCES `locations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `location_contacts_location` ON `location_contacts` (`location_id`,`id`);--> statement-breakpoint
CREATE TABLE `trip_templates` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`category_id` text,
	`origin_id` text,
	`destination_id` text,
	`device_id` text,
	`gps_logging_enabled` integer DEFAULT false NOT NULL,
	`default_weight_kg` real,
	`notes` text,
	`tags` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`category_id`) REFERENCES `trip_categories`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`origin_id`) REFERENCES `locations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`destination_id`) REFERENCES `locations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `trip_templates_category` ON `trip_templates` (`category_id`);--> statement-breakpoint
CREATE INDEX `trip_templates_origin` ON `trip_templates` (`origin_id`);--> statement-breakpoint
CREATE INDEX `trip_templates_destination` ON `trip_templates` (`destination_id`);--> statement-breakpoint
CREATE INDEX `trip_templates_device` ON `trip_templates` (`device_id`);--> statement-breakpoint
CREATE INDEX `locations_name` ON `locations` (name COLLATE NOCASE,`id`);