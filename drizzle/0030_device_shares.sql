CREATE TABLE `device_shares` (
	`user_id` text NOT NULL,
	`device_id` text NOT NULL,
	`level` text NOT NULL,
	`expires_at` integer,
	`made_by` text,
	`made_by_key` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `device_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`made_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`made_by_key`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `device_shares_device` ON `device_shares` (`device_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `device_shares_maker` ON `device_shares` (`made_by`);--> statement-breakpoint
CREATE INDEX `device_shares_key` ON `device_shares` (`made_by_key`);