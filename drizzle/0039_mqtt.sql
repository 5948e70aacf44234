CREATE TABLE `feed_readers` (
	`name` text PRIMARY KEY NOT NULL,
	`epoch` text NOT NULL,
	`number` integer NOT NULL
) STRICT;
