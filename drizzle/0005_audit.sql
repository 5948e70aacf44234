CREATE TABLE `audit_days` (
	`day` integer NOT NULL,
	`event_type` text NOT NULL,
	`resource_type` text NOT NULL,
	`status` text NOT NULL,
	`source_service` text NOT NULL,
	`is_reported` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`day`, `event_type`, `resource_type`, `status`, `source_service`, `is_reported`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `audit_reports` (
	`id` text PRIMARY KEY NOT NULL,
	`audit_event_id` text NOT NULL,
	`user_id` text NOT NULL,
	`reason` text NOT NULL,
	`description` text,
	`status` text NOT NULL,
	`reviewed_by` text,
	`reviewed_at` integer,
	`resolution_notes` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`audit_event_id`) REFERENCES `audit_events`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_reports_audit_event_id_unique` ON `audit_reports` (`audit_event_id`);--> statement-breakpoint
CREATE INDEX `audit_reports_user` ON `audit_reports` (`user_id`);--> statement-breakpoint
CREATE INDEX `audit_reports_status` ON `audit_reports` (`status`);--> statement-breakpoint
DROP INDEX `audit_events_user`;--> statement-breakpoint
CREATE INDEX `audit_events_time` ON `audit_events` (`created_at`);--> statement-breakpoint
CREATE INDEX `audit_events_type` ON `audit_events` (`event_type`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_events_resource` ON `audit_events` (`resource_type`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_events_source` ON `audit_events` (`source_service`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_events_failures` ON `audit_events` (`created_at`) WHERE status = 'failure';--> statement-breakpoint
CREATE INDEX `audit_events_reported` ON `audit_events` (`created_at`) WHERE is_reported = 1;--> statement-breakpoint
CREATE INDEX `audit_events_user` ON `audit_events` (`user_id`,`created_at`,`event_type`,`resource_type`,`status`,`source_service`,`is_reported`);