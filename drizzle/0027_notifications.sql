CREATE TABLE `notification_targets` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`settings` text NOT NULL,
	`secret` text,
	`former_secret` text,
	`former_secret_until` integer,
	`is_active` integer DEFAULT true NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`quiet` text,
	`locale` text NOT NULL,
	`user_id` text,
	`api_key_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `notification_targets_user` ON `notification_targets` (`user_id`);--> statement-breakpoint
CREATE INDEX `notification_targets_key` ON `notification_targets` (`api_key_id`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`lane` text NOT NULL,
	`alert_id` text,
	`kind` text NOT NULL,
	`severity` text,
	`urgency` integer NOT NULL,
	`user_id` text,
	`message` text,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`step` integer DEFAULT 0 NOT NULL,
	`first_attempt_at` integer,
	`last_attempt_at` integer,
	`next_attempt_at` integer,
	`finished_at` integer,
	`response_status` integer,
	`error` text,
	`duration_ms` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_id_unique` ON `outbox` (`id`);--> statement-breakpoint
CREATE INDEX `outbox_waiting` ON `outbox` (`lane`,`urgency`,`number`,`next_attempt_at`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `outbox_order` ON `outbox` (`lane`,`alert_id`,`number`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `outbox_lane` ON `outbox` (`lane`,`number`);--> statement-breakpoint
CREATE INDEX `outbox_alert` ON `outbox` (`alert_id`,`number`) WHERE alert_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_user` ON `outbox` (`user_id`) WHERE user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_age` ON `outbox` (`created_at`);--> statement-breakpoint
-- Emails move to the outbox in the order in which they were queued. What failed already goes on with pauses of an hour and more, for three days since it was queued.
INSERT INTO `outbox` (`id`, `lane`, `kind`, `urgency`, `user_id`, `message`, `status`, `attempts`, `step`, `first_attempt_at`, `last_attempt_at`, `next_attempt_at`, `finished_at`, `error`, `created_at`)
SELECT `id`, 'email', `kind`, 1, `user_id`,
	CASE WHEN `next_attempt_at` IS NOT NULL THEN `message` END,
	CASE
		WHEN `next_attempt_at` IS NOT NULL THEN 'waiting'
		WHEN `delivered_at` IS NOT NULL THEN 'delivered'
		WHEN `last_error` = 'the account was deleted' THEN 'cancelled'
		ELSE 'failed'
	END,
	`attempts`,
	min(`attempts`, 4),
	CASE WHEN `attempts` > 0 THEN `created_at` END,
	CASE WHEN `attempts` > 0 THEN coalesce(`delivered_at`, `failed_at`, `created_at`) END,
	`next_attempt_at`,
	CASE WHEN `next_attempt_at` IS NULL THEN coalesce(`delivered_at`, `failed_at`, `created_at`) END,
	`last_error`,
	`created_at`
FROM `email_queue` ORDER BY rowid;--> statement-breakpoint
DROP TABLE `email_queue`;
