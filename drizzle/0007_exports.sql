CREATE TABLE `export_logs` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`exported_at` integer NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`export_format` text NOT NULL,
	`file_size_bytes` integer NOT NULL,
	`locale` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `export_logs_user` ON `export_logs` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `export_logs_time` ON `export_logs` (`created_at`);--> statement-breakpoint
DROP INDEX `sessions_user`;--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`,`id`);