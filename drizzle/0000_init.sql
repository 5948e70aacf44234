CREATE TABLE `platform_accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`platform_id` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`username` text,
	`email` text,
	`avatar_url` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`platform_id`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_accounts_identity` ON `platform_accounts` (`platform_id`,`platform_user_id`);--> statement-breakpoint
CREATE INDEX `platform_accounts_user` ON `platform_accounts` (`user_id`);--> statement-breakpoint
CREATE INDEX `platform_accounts_email` ON `platform_accounts` (`email`);--> statement-breakpoint
CREATE TABLE `api_key_roles` (
	`api_key_id` text NOT NULL,
	`role_id` text NOT NULL,
	PRIMARY KEY(`api_key_id`, `role_id`),
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`role_id`) REFERENCES `roles`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `api_key_roles_role` ON `api_key_roles` (`role_id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text,
	`device_id` text,
	`key_hash` text NOT NULL,
	`key_prefix` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`scopes` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_system` integer DEFAULT false NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_device_id_unique` ON `api_keys` (`device_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_key_hash_unique` ON `api_keys` (`key_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_owner` ON `api_keys` (`owner_id`);--> statement-breakpoint
CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`event_type` text NOT NULL,
	`resource_type` text,
	`resource_id` text,
	`actor_id` text,
	`ip_address` text,
	`user_agent` text,
	`description` text,
	`metadata` text,
	`status` text NOT NULL,
	`error_message` text,
	`country_code` text,
	`country_name` text,
	`city` text,
	`region` text,
	`source_service` text NOT NULL,
	`is_reported` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_events_user` ON `audit_events` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `passwords` (
	`user_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `platforms` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`is_oauth` integer NOT NULL,
	`enabled` integer NOT NULL,
	`two_factor_supported` integer NOT NULL,
	`two_factor_required` integer NOT NULL,
	`registration_enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platforms_slug_unique` ON `platforms` (`slug`);--> statement-breakpoint
CREATE TABLE `permissions` (
	`id` text PRIMARY KEY NOT NULL,
	`resource` text NOT NULL,
	`action` text NOT NULL,
	`description` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `permissions_name` ON `permissions` (`resource`,`action`);--> statement-breakpoint
CREATE TABLE `role_permissions` (
	`role_id` text NOT NULL,
	`permission_id` text NOT NULL,
	PRIMARY KEY(`role_id`, `permission_id`),
	FOREIGN KEY (`role_id`) REFERENCES `roles`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`permission_id`) REFERENCES `permissions`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `roles` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`is_system` integer DEFAULT false NOT NULL,
	`requires_two_factor` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `roles_name_unique` ON `roles` (`name`);--> statement-breakpoint
CREATE TABLE `user_roles` (
	`user_id` text NOT NULL,
	`role_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `role_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`role_id`) REFERENCES `roles`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `user_roles_role` ON `user_roles` (`role_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`provider` text NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`created_at` integer NOT NULL,
	`last_activity_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`primary_platform_account_id` text,
	`privacy_mode` integer DEFAULT false NOT NULL,
	`preferred_locale` text,
	`avatars_enabled` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_login_at` integer,
	`deleted_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (`username`);--> statement-breakpoint
CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `system_config` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `trip_categories` (
	`id` text PRIMARY KEY NOT NULL,
	`parent_id` text,
	`name` text NOT NULL,
	`description` text,
	`color` text,
	`is_active` integer DEFAULT true NOT NULL,
	`sort_order` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`parent_id`) REFERENCES `trip_categories`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE TABLE `devices` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`device_type` text,
	`is_active` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `geofence_presence` (
	`device_id` text NOT NULL,
	`geofence_seq` integer NOT NULL,
	PRIMARY KEY(`device_id`, `geofence_seq`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`geofence_seq`) REFERENCES `geofences`(`seq`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `geofence_presence_zone` ON `geofence_presence` (`geofence_seq`);--> statement-breakpoint
CREATE TABLE `geofences` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`latitude` real NOT NULL,
	`longitude` real NOT NULL,
	`radius_km` real NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`metadata` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `geofences_id_unique` ON `geofences` (`id`);--> statement-breakpoint
CREATE TABLE `gps_detachments` (
	`kind` text NOT NULL,
	`reference` text NOT NULL,
	PRIMARY KEY(`kind`, `reference`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `gps_points` (
	`id` text PRIMARY KEY NOT NULL,
	`device_id` text,
	`trip_id` text,
	`latitude` real NOT NULL,
	`longitude` real NOT NULL,
	`altitude` real,
	`heading` real,
	`timestamp` integer NOT NULL,
	`speed_kmh` real NOT NULL,
	`speed_mps` real NOT NULL,
	`speed_mph` real NOT NULL,
	`speed_knots` real NOT NULL,
	`pdop` real,
	`hdop` real,
	`vdop` real,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `gps_points_time` ON `gps_points` (`timestamp`);--> statement-breakpoint
CREATE INDEX `gps_points_device` ON `gps_points` (`device_id`,`timestamp`) WHERE device_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `gps_points_trip` ON `gps_points` (`trip_id`,`timestamp`) WHERE trip_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `locations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`street` text,
	`zip` text,
	`city` text,
	`country` text,
	`latitude` real,
	`longitude` real,
	`notes` text,
	`is_active` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `trip_status_history` (
	`id` text PRIMARY KEY NOT NULL,
	`trip_id` text NOT NULL,
	`old_status` text NOT NULL,
	`new_status` text NOT NULL,
	`changed_by` text,
	`latitude` real,
	`longitude` real,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`trip_id`) REFERENCES `trips`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `trip_status_history_trip` ON `trip_status_history` (`trip_id`,`changed_at`);--> statement-breakpoint
CREATE TABLE `trips` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`status` text NOT NULL,
	`gps_logging_enabled` integer DEFAULT false NOT NULL,
	`device_id` text,
	`category_id` text,
	`origin_id` text,
	`destination_id` text,
	`weight_kg` real,
	`notes` text,
	`tags` text NOT NULL,
	`start_latitude` real,
	`start_longitude` real,
	`end_latitude` real,
	`end_longitude` real,
	`started_at` integer,
	`ended_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`category_id`) REFERENCES `trip_categories`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`origin_id`) REFERENCES `locations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`destination_id`) REFERENCES `locations`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `trips_status` ON `trips` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `trips_device` ON `trips` (`device_id`);--> statement-breakpoint
CREATE INDEX `trips_category` ON `trips` (`category_id`);--> statement-breakpoint
CREATE INDEX `trips_origin` ON `trips` (`origin_id`);--> statement-breakpoint
CREATE INDEX `trips_destination` ON `trips` (`destination_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `trips_one_active_logger` ON `trips` (`device_id`) WHERE status = 'active' AND gps_logging_enabled = 1 AND device_id IS NOT NULL;