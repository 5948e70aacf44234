ALTER TABLE `sessions` ADD `authenticated_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_activity` ON `sessions` (`last_activity_at`);--> statement-breakpoint
UPDATE `sessions` SET `authenticated_at` = `created_at`;
