CREATE TABLE `invitation_devices` (
	`invitation_id` text NOT NULL,
	`device_id` text NOT NULL,
	`level` text NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`invitation_id`, `device_id`),
	FOREIGN KEY (`invitation_id`) REFERENCES `invitations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `invitation_devices_device` ON `invitation_devices` (`device_id`);--> statement-breakpoint
CREATE TABLE `invitation_roles` (
	`invitation_id` text NOT NULL,
	`role_id` text NOT NULL,
	PRIMARY KEY(`invitation_id`, `role_id`),
	FOREIGN KEY (`invitation_id`) REFERENCES `invitations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`role_id`) REFERENCES `roles`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `invitation_roles_role` ON `invitation_roles` (`role_id`);--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`email` text,
	`note` text,
	`made_by` text,
	`made_by_key` text,
	`made_by_session` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`accepted_by` text,
	`revoked_at` integer,
	FOREIGN KEY (`made_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`accepted_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_token_hash_unique` ON `invitations` (`token_hash`);--> statement-breakpoint
CREATE INDEX `invitations_made_by` ON `invitations` (`made_by`);--> statement-breakpoint
CREATE INDEX `invitations_accepted_by` ON `invitations` (`accepted_by`);--> statement-breakpoint
CREATE INDEX `invitations_expiry` ON `invitations` (`expires_at`);--> statement-breakpoint
CREATE INDEX `invitations_pending` ON `invitations` (`expires_at`) WHERE accepted_at IS NULL AND revoked_at IS NULL;