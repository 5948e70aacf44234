CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`logo_url` text,
	`homepage_url` text,
	`privacy_policy_url` text,
	`terms_of_service_url` text,
	`redirect_uris` text NOT NULL,
	`allowed_scopes` text NOT NULL,
	`client_type` text NOT NULL,
	`secret_hash` text,
	`is_active` integer DEFAULT true NOT NULL,
	`is_first_party` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `oauth_clients_owner` ON `oauth_clients` (`owner_id`);--> statement-breakpoint
CREATE TABLE `backup_codes` (
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `two_factor_challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`provider` text NOT NULL,
	`wrong_codes` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `two_factor_challenges_token_hash_unique` ON `two_factor_challenges` (`token_hash`);--> statement-breakpoint
CREATE INDEX `challenges_user` ON `two_factor_challenges` (`user_id`);--> statement-breakpoint
CREATE INDEX `challenges_expiry` ON `two_factor_challenges` (`expires_at`);--> statement-breakpoint
CREATE TABLE `two_factor` (
	`user_id` text PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`platform` text NOT NULL,
	`enabled_at` integer,
	`setup_expires_at` integer,
	`last_step` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `verifications` ADD `requested_by` text;