CREATE TABLE `password_resets` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `password_resets_token_hash_unique` ON `password_resets` (`token_hash`);--> statement-breakpoint
CREATE INDEX `password_resets_user` ON `password_resets` (`user_id`);--> statement-breakpoint
CREATE INDEX `password_resets_expiry` ON `password_resets` (`expires_at`);--> statement-breakpoint
CREATE TABLE `bans` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`reason` text,
	`banned_by` text,
	`banned_at` integer NOT NULL,
	`expires_at` integer,
	`unbanned_at` integer,
	`unbanned_by` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `bans_user` ON `bans` (`user_id`,`banned_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `bans_one_open` ON `bans` (`user_id`) WHERE unbanned_at IS NULL;--> statement-breakpoint
CREATE TABLE `email_queue` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` text,
	`message` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`delivered_at` integer,
	`failed_at` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `email_queue_due` ON `email_queue` (`next_attempt_at`) WHERE next_attempt_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `email_queue_user` ON `email_queue` (`user_id`);--> statement-breakpoint
CREATE TABLE `verifications` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`token_hash` text NOT NULL,
	`user_id` text,
	`email` text NOT NULL,
	`username` text,
	`password_hash` text,
	`created_at` integer NOT NULL,
	`sent_at` integer,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `verifications_token_hash_unique` ON `verifications` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `verifications_registration_email` ON `verifications` (`email`) WHERE kind = 'registration';--> statement-breakpoint
CREATE UNIQUE INDEX `verifications_registration_username` ON `verifications` (`username`) WHERE kind = 'registration';--> statement-breakpoint
CREATE UNIQUE INDEX `verifications_one_per_user` ON `verifications` (`user_id`,`kind`) WHERE user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `verifications_expiry` ON `verifications` (`expires_at`);--> statement-breakpoint
ALTER TABLE `platform_accounts` ADD `email_verified` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `last_login_provider` text;--> statement-breakpoint
ALTER TABLE `users` ADD `scheduled_deletion_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `scrubbed_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `scrub_pending` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `users_scheduled_deletion` ON `users` (`scheduled_deletion_at`) WHERE scheduled_deletion_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `users_scrub_pending` ON `users` (`scrub_pending`) WHERE scrub_pending = 1;--> statement-breakpoint
CREATE INDEX `audit_events_actor` ON `audit_events` (`actor_id`) WHERE actor_id IS NOT NULL;