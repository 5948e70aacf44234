CREATE TABLE `__new_trip_spans` (
	`trip_id` text NOT NULL,
	`device_id` text,
	`from_time` integer NOT NULL,
	`until_time` integer,
	FOREIGN KEY (`trip_id`) REFERENCES `trips`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_trip_spans`("trip_id", "device_id", "from_time", "until_time") SELECT "trip_id", "device_id", "from_time", "until_time" FROM `trip_spans`;--> statement-breakpoint
DROP TABLE `trip_spans`;--> statement-breakpoint
ALTER TABLE `__new_trip_spans` RENAME TO `trip_spans`;--> statement-breakpoint
CREATE INDEX `trip_spans_device` ON `trip_spans` (`device_id`,`from_time`);--> statement-breakpoint
CREATE INDEX `trip_spans_trip` ON `trip_spans` (`trip_id`,`from_time`);