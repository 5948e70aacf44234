CREATE TABLE `sign_in_addresses` (
	`user_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`last_at` integer NOT NULL,
	`code_failures` integer DEFAULT 0 NOT NULL,
	`code_failed_at` integer,
	PRIMARY KEY(`user_id`, `address_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sign_in_addresses_age` ON `sign_in_addresses` (`last_at`);--> statement-breakpoint
DROP INDEX `verifications_registration_email`;--> statement-breakpoint
DROP INDEX `verifications_registration_username`;--> statement-breakpoint
CREATE INDEX `verifications_registrations_by_email` ON `verifications` (`email`) WHERE kind = 'registration';--> statement-breakpoint
CREATE INDEX `verifications_registrations_by_name` ON `verifications` (`username`) WHERE kind = 'registration';--> statement-breakpoint
ALTER TABLE `two_factor` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `two_factor` ADD `stranger_failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `two_factor` ADD `stranger_failed_at` integer;