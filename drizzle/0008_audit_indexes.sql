DROP INDEX `audit_events_time`;--> statement-breakpoint
CREATE INDEX `audit_events_time` ON `audit_events` (`created_at`,`event_type`,`resource_type`,`status`,`source_service`,`is_reported`);--> statement-breakpoint
DROP INDEX `audit_reports_user`;--> statement-breakpoint
DROP INDEX `audit_reports_status`;--> statement-breakpoint
CREATE INDEX `audit_reports_user` ON `audit_reports` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_reports_status` ON `audit_reports` (`status`,`id`);