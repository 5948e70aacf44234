CREATE TABLE `changes` (
	`number` integer PRIMARY KEY NOT NULL,
	`kind` integer NOT NULL,
	`record` text,
	`device_id` text,
	`detail` text,
	`made_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `feed_state` (
	`epoch` text PRIMARY KEY NOT NULL
) STRICT;
