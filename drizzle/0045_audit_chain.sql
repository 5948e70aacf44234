-- The hash chain of the audit log, and the note of the newest master key. Events that are there are chained after this, in steps
-- and before anything is served: SQLite has no SHA-256 (src/identity/audit/backlog.ts).
CREATE TABLE `audit_anchors` (
	`number` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `audit_chain` (
	`id` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`hash` blob NOT NULL,
	`chained_to` text,
	`told_day` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `master_key` (
	`id` integer PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`hash_keys` text NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `audit_events` ADD `number` integer;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `hash` blob;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `personal_hash` blob;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `salt` blob;
--> statement-breakpoint
INSERT INTO `audit_chain` VALUES (1, 0, zeroblob(32), iif(EXISTS (SELECT 1 FROM `audit_events`), '', NULL), NULL);
