-- Events by quarters of an hour, and each user's by minutes: audit_days and audit_user_days once more, by finer spans. Both
-- are clustered by their key, which Drizzle can't declare; search.ts reads them. Millions of events are counted in steps,
-- along an index each. A start that was killed goes on here, unless an older version has changed events since.
CREATE TABLE IF NOT EXISTS `audit_quarters` (
	`quarter` integer NOT NULL,
	`event_type` text NOT NULL,
	`resource_type` text NOT NULL,
	`status` text NOT NULL,
	`source_service` text NOT NULL,
	`is_reported` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`quarter`, `event_type`, `resource_type`, `status`, `source_service`, `is_reported`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `audit_user_minutes` (
	`user_id` text NOT NULL,
	`minute` integer NOT NULL,
	`event_type` text NOT NULL,
	`resource_type` text NOT NULL,
	`status` text NOT NULL,
	`source_service` text NOT NULL,
	`is_reported` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`user_id`, `minute`, `event_type`, `resource_type`, `status`, `source_service`, `is_reported`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- The places up to which the events are counted: a time, and a user with a time. An empty blob comes after all users. A +
-- before such a user keeps SQLite searching the index by both columns.
CREATE TABLE IF NOT EXISTS `__audit_counts` (
	`counted` text NOT NULL,
	`time` integer NOT NULL,
	`next_time` integer,
	`user` any NOT NULL,
	`user_time` integer NOT NULL,
	`next_user` any,
	`next_user_time` integer,
	`done` integer NOT NULL,
	`total` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TEMP TABLE audit_state AS
SELECT json_array(count(*), sum(n), sum(n * is_reported), sum(n * (resource_type = '')),
	(SELECT id FROM audit_events ORDER BY rowid DESC LIMIT 1)) AS counted
FROM audit_days;
--> statement-breakpoint
DELETE FROM __audit_counts WHERE counted <> (SELECT counted FROM audit_state);
--> statement-breakpoint
DELETE FROM audit_quarters WHERE NOT EXISTS (SELECT 1 FROM __audit_counts);
--> statement-breakpoint
DELETE FROM audit_user_minutes WHERE NOT EXISTS (SELECT 1 FROM __audit_counts);
--> statement-breakpoint
INSERT INTO __audit_counts
SELECT counted, -1, NULL, '', -1, NULL, NULL, 0,
	(SELECT coalesce(sum(n), 0) FROM audit_days) + (SELECT coalesce(sum(n), 0) FROM audit_user_days)
FROM audit_state WHERE NOT EXISTS (SELECT 1 FROM __audit_counts);
--> statement-breakpoint
DROP TABLE temp.audit_state;
--> step
UPDATE __audit_counts SET next_time = coalesce((
	SELECT created_at FROM audit_events INDEXED BY audit_events_time WHERE created_at > time ORDER BY created_at LIMIT 1 OFFSET 49999
), 9007199254740991);
--> statement-breakpoint
INSERT INTO audit_quarters
SELECT created_at / 900000, event_type, coalesce(resource_type, ''), status, source_service, is_reported, count(*)
FROM audit_events INDEXED BY audit_events_time
WHERE created_at > (SELECT time FROM __audit_counts) AND created_at <= (SELECT next_time FROM __audit_counts)
GROUP BY 1, 2, 3, 4, 5, 6 ON CONFLICT DO UPDATE SET n = n + excluded.n;
--> statement-breakpoint
UPDATE __audit_counts SET next_user = x'', next_user_time = 0;
--> statement-breakpoint
UPDATE __audit_counts SET next_user = place.user_id, next_user_time = place.created_at FROM (
	SELECT user_id, created_at FROM audit_events INDEXED BY audit_events_user
	WHERE (user_id, created_at) > (SELECT +user, +user_time FROM __audit_counts) ORDER BY user_id, created_at LIMIT 1 OFFSET 49999
) AS place;
--> statement-breakpoint
INSERT INTO audit_user_minutes
SELECT user_id, created_at / 60000, event_type, coalesce(resource_type, ''), status, source_service, is_reported, count(*)
FROM __audit_counts CROSS JOIN audit_events INDEXED BY audit_events_user
WHERE (user_id, created_at) > (+user, +user_time) AND (user_id, created_at) <= (+next_user, +next_user_time)
GROUP BY 1, 2, 3, 4, 5, 6, 7 ON CONFLICT DO UPDATE SET n = n + excluded.n;
--> statement-breakpoint
UPDATE __audit_counts SET done = done
	+ (SELECT count(*) FROM audit_events INDEXED BY audit_events_time WHERE created_at > time AND created_at <= next_time)
	+ (SELECT count(*) FROM audit_events INDEXED BY audit_events_user
		WHERE (user_id, created_at) > (+user, +user_time) AND (user_id, created_at) <= (+next_user, +next_user_time));
--> statement-breakpoint
UPDATE __audit_counts SET time = next_time, user = next_user, user_time = next_user_time;
--> statement-breakpoint
SELECT done, total, time = 9007199254740991 AND user = x'' AS is_last FROM __audit_counts;
--> finally
DROP TABLE __audit_counts;
--> statement-breakpoint
CREATE TRIGGER audit_spans_insert AFTER INSERT ON audit_events BEGIN
	INSERT INTO audit_quarters VALUES (new.created_at / 900000, new.event_type, coalesce(new.resource_type, ''), new.status, new.source_service, new.is_reported, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
	INSERT INTO audit_user_minutes
	SELECT new.user_id, new.created_at / 60000, new.event_type, coalesce(new.resource_type, ''), new.status, new.source_service, new.is_reported, 1
	WHERE new.user_id IS NOT NULL
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER audit_spans_delete AFTER DELETE ON audit_events BEGIN
	UPDATE audit_quarters SET n = n - 1
	WHERE quarter = old.created_at / 900000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported;
	DELETE FROM audit_quarters
	WHERE quarter = old.created_at / 900000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported AND n = 0;
	UPDATE audit_user_minutes SET n = n - 1
	WHERE user_id = old.user_id AND minute = old.created_at / 60000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported;
	DELETE FROM audit_user_minutes
	WHERE user_id = old.user_id AND minute = old.created_at / 60000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported AND n = 0;
END;
--> statement-breakpoint
CREATE TRIGGER audit_spans_report AFTER UPDATE OF is_reported ON audit_events WHEN old.is_reported <> new.is_reported BEGIN
	UPDATE audit_quarters SET n = n - 1
	WHERE quarter = old.created_at / 900000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported;
	DELETE FROM audit_quarters
	WHERE quarter = old.created_at / 900000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported AND n = 0;
	INSERT INTO audit_quarters VALUES (new.created_at / 900000, new.event_type, coalesce(new.resource_type, ''), new.status, new.source_service, new.is_reported, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
	UPDATE audit_user_minutes SET n = n - 1
	WHERE user_id = old.user_id AND minute = old.created_at / 60000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported;
	DELETE FROM audit_user_minutes
	WHERE user_id = old.user_id AND minute = old.created_at / 60000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported AND n = 0;
	INSERT INTO audit_user_minutes
	SELECT new.user_id, new.created_at / 60000, new.event_type, coalesce(new.resource_type, ''), new.status, new.source_service, new.is_reported, 1
	WHERE new.user_id IS NOT NULL
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE INDEX `audit_events_user_kind` ON `audit_events` (`user_id`,`event_type`,`status`,`source_service`,`is_reported`,`created_at`,`resource_type`);
