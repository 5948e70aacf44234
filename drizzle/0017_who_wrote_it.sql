CREATE TABLE `scrub_names` (
	`user_id` text PRIMARY KEY NOT NULL,
	`addresses` text NOT NULL,
	`external_ids` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `audit_events` ADD `recorded_by_kind` text;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `recorded_by_id` text;
--> statement-breakpoint
-- Fewer days than 30 count as 30 from now on.
UPDATE system_config SET value = '30' WHERE key = 'audit.retention_days' AND CAST(value AS INTEGER) BETWEEN 1 AND 29;
--> statement-breakpoint
-- Accounts that a former version scrubbed are gone through once more, by the job that finishes scrubs.
UPDATE users SET scrub_pending = 1 WHERE scrubbed_at IS NOT NULL;
