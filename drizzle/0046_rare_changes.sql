DROP INDEX `changes_rare`;--> statement-breakpoint
CREATE INDEX `changes_rare` ON `changes` (`number`) WHERE kind <> 0 AND kind <> 1 AND kind <> 5 AND kind <> 6;