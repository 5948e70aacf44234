ALTER TABLE `two_factor` ADD `forgiven_at` integer;--> statement-breakpoint
ALTER TABLE `verifications` ADD `requested_by_session` text;--> statement-breakpoint
CREATE INDEX `verifications_of_sessions` ON `verifications` (`requested_by_session`) WHERE requested_by_session IS NOT NULL;