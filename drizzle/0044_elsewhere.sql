CREATE TABLE `oidc_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`browser_hash` text,
	`provider` text NOT NULL,
	`purpose` text NOT NULL,
	`user_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`label` text,
	`authenticated_at` integer,
	`code_challenge` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `oidc_codes_user` ON `oidc_codes` (`user_id`);--> statement-breakpoint
CREATE INDEX `oidc_codes_expiry` ON `oidc_codes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oidc_identities` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`provider` text NOT NULL,
	`label` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `oidc_identities_subject` ON `oidc_identities` (`issuer`,`subject`);--> statement-breakpoint
CREATE INDEX `oidc_identities_user` ON `oidc_identities` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `oidc_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`browser_hash` text,
	`provider` text NOT NULL,
	`purpose` text NOT NULL,
	`user_id` text,
	`nonce` text NOT NULL,
	`code_verifier` text NOT NULL,
	`callback` text NOT NULL,
	`redirect_uri` text,
	`application_request` text,
	`client_state` text,
	`code_challenge` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `oidc_states_user` ON `oidc_states` (`user_id`);--> statement-breakpoint
CREATE INDEX `oidc_states_expiry` ON `oidc_states` (`expires_at`);