CREATE TABLE `notification_deliveries` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`target_id` text NOT NULL,
	`alert_id` text,
	`type` text NOT NULL,
	`severity` text NOT NULL,
	`urgency` integer NOT NULL,
	`title` text NOT NULL,
	`body` text NOT NULL,
	`payload` text,
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
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `notification_deliveries_id_unique` ON `notification_deliveries` (`id`);--> statement-breakpoint
CREATE INDEX `notification_deliveries_waiting` ON `notification_deliveries` (`target_id`,`urgency`,`number`,`next_attempt_at`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `notification_deliveries_order` ON `notification_deliveries` (`target_id`,`alert_id`,`number`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `notification_deliveries_target` ON `notification_deliveries` (`target_id`,`number`);--> statement-breakpoint
CREATE INDEX `notification_deliveries_alert` ON `notification_deliveries` (`alert_id`,`number`);--> statement-breakpoint
CREATE INDEX `notification_deliveries_age` ON `notification_deliveries` (`created_at`);--> statement-breakpoint
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
CREATE INDEX `notification_targets_key` ON `notification_targets` (`api_key_id`);