CREATE TABLE `community_channels` (
	`id` text PRIMARY KEY NOT NULL,
	`guild` text NOT NULL,
	`channel_id` text NOT NULL,
	`name` text NOT NULL,
	`channel_type` integer NOT NULL,
	`parent_id` text,
	`position` integer NOT NULL,
	`topic` text,
	`nsfw` integer NOT NULL,
	FOREIGN KEY (`guild`) REFERENCES `community_guilds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `community_channels_identity` ON `community_channels` (`guild`,`channel_id`);--> statement-breakpoint
CREATE TABLE `community_guilds` (
	`id` text PRIMARY KEY NOT NULL,
	`guild_id` text NOT NULL,
	`name` text NOT NULL,
	`icon` text,
	`owner_id` text NOT NULL,
	`member_count` integer NOT NULL,
	`boost_count` integer NOT NULL,
	`premium_tier` integer NOT NULL,
	`bot_joined_at` integer,
	`last_synced_at` integer NOT NULL,
	`default_language` text,
	`settings_updated_at` integer,
	`members_from` integer DEFAULT 0 NOT NULL,
	`members_to` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `community_guilds_guild_id_unique` ON `community_guilds` (`guild_id`);--> statement-breakpoint
CREATE TABLE `community_member_names` (
	`row` integer PRIMARY KEY NOT NULL,
	`bot` integer NOT NULL,
	`names` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `community_member_names_bot` ON `community_member_names` (`bot`);--> statement-breakpoint
CREATE TABLE `community_members` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`username` text NOT NULL,
	`discriminator` text,
	`global_name` text,
	`nickname` text,
	`avatar` text,
	`bot` integer NOT NULL,
	`system` integer NOT NULL,
	`joined_at` integer,
	`premium_since` integer,
	`deaf` integer NOT NULL,
	`mute` integer NOT NULL,
	`pending` integer NOT NULL,
	`communication_disabled_until` integer,
	`roles` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `community_members_user` ON `community_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `community_roles` (
	`id` text PRIMARY KEY NOT NULL,
	`guild` text NOT NULL,
	`role_id` text NOT NULL,
	`name` text NOT NULL,
	`color` integer NOT NULL,
	`position` integer NOT NULL,
	`permissions` text NOT NULL,
	`managed` integer NOT NULL,
	FOREIGN KEY (`guild`) REFERENCES `community_guilds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `community_roles_identity` ON `community_roles` (`guild`,`role_id`);--> statement-breakpoint
CREATE TABLE `community_settings` (
	`id` text PRIMARY KEY NOT NULL,
	`auto_sync_enabled` integer NOT NULL,
	`sync_interval_seconds` integer NOT NULL,
	`initial_delay_seconds` integer NOT NULL,
	`default_language` text NOT NULL,
	`notify_on_guild_join` integer NOT NULL,
	`notify_on_guild_leave` integer NOT NULL,
	`command_cooldown_seconds` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
