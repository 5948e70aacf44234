-- How many events of a kind concern a user on a day (UTC): audit_days for each user. It is clustered by its key, which
-- Drizzle can't declare; search.ts reads it.
CREATE TABLE `audit_user_days` (
	`user_id` text NOT NULL,
	`day` integer NOT NULL,
	`event_type` text NOT NULL,
	`resource_type` text NOT NULL,
	`status` text NOT NULL,
	`source_service` text NOT NULL,
	`is_reported` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`user_id`, `day`, `event_type`, `resource_type`, `status`, `source_service`, `is_reported`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER audit_user_days_insert AFTER INSERT ON audit_events WHEN new.user_id IS NOT NULL BEGIN
	INSERT INTO audit_user_days VALUES (new.user_id, new.created_at / 86400000, new.event_type, coalesce(new.resource_type, ''), new.status, new.source_service, new.is_reported, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER audit_user_days_delete AFTER DELETE ON audit_events WHEN old.user_id IS NOT NULL BEGIN
	UPDATE audit_user_days SET n = n - 1
	WHERE user_id = old.user_id AND day = old.created_at / 86400000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported;
	DELETE FROM audit_user_days
	WHERE user_id = old.user_id AND day = old.created_at / 86400000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported AND n = 0;
END;
--> statement-breakpoint
CREATE TRIGGER audit_user_days_report AFTER UPDATE OF is_reported ON audit_events WHEN old.is_reported <> new.is_reported AND new.user_id IS NOT NULL BEGIN
	UPDATE audit_user_days SET n = n - 1
	WHERE user_id = old.user_id AND day = old.created_at / 86400000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported;
	DELETE FROM audit_user_days
	WHERE user_id = old.user_id AND day = old.created_at / 86400000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported AND n = 0;
	INSERT INTO audit_user_days VALUES (new.user_id, new.created_at / 86400000, new.event_type, coalesce(new.resource_type, ''), new.status, new.source_service, new.is_reported, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
-- Counters of lists whose rows also go with what they refer to: triggers see that too.
CREATE TRIGGER oauth_clients_counted AFTER INSERT ON oauth_clients BEGIN
	INSERT INTO counters VALUES ('oauth_clients', 1), ('oauth_clients ' || new.owner_id, 1)
	ON CONFLICT DO UPDATE SET value = value + 1;
END;
--> statement-breakpoint
CREATE TRIGGER oauth_clients_discounted AFTER DELETE ON oauth_clients BEGIN
	UPDATE counters SET value = value - 1 WHERE name IN ('oauth_clients', 'oauth_clients ' || old.owner_id);
	DELETE FROM counters WHERE name = 'oauth_clients ' || old.owner_id AND value = 0;
END;
--> statement-breakpoint
CREATE TRIGGER export_logs_counted AFTER INSERT ON export_logs BEGIN
	INSERT INTO counters VALUES ('export_logs ' || new.user_id, 1)
	ON CONFLICT DO UPDATE SET value = value + 1;
END;
--> statement-breakpoint
CREATE TRIGGER export_logs_discounted AFTER DELETE ON export_logs BEGIN
	UPDATE counters SET value = value - 1 WHERE name = 'export_logs ' || old.user_id;
	DELETE FROM counters WHERE name = 'export_logs ' || old.user_id AND value = 0;
END;
--> statement-breakpoint
CREATE TRIGGER audit_reports_counted AFTER INSERT ON audit_reports BEGIN
	INSERT INTO counters VALUES ('audit_reports', 1), ('audit_reports ' || new.status, 1), ('audit_reports of ' || new.user_id, 1)
	ON CONFLICT DO UPDATE SET value = value + 1;
END;
--> statement-breakpoint
CREATE TRIGGER audit_reports_discounted AFTER DELETE ON audit_reports BEGIN
	UPDATE counters SET value = value - 1 WHERE name IN ('audit_reports', 'audit_reports ' || old.status, 'audit_reports of ' || old.user_id);
	DELETE FROM counters WHERE name = 'audit_reports of ' || old.user_id AND value = 0;
END;
--> statement-breakpoint
CREATE TRIGGER audit_reports_moved AFTER UPDATE OF status ON audit_reports WHEN old.status <> new.status BEGIN
	UPDATE counters SET value = value - 1 WHERE name = 'audit_reports ' || old.status;
	INSERT INTO counters VALUES ('audit_reports ' || new.status, 1)
	ON CONFLICT DO UPDATE SET value = value + 1;
END;
--> statement-breakpoint
INSERT INTO audit_user_days
SELECT user_id, created_at / 86400000, event_type, coalesce(resource_type, ''), status, source_service, is_reported, count(*)
FROM audit_events WHERE user_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;
--> statement-breakpoint
INSERT INTO counters SELECT 'oauth_clients', count(*) FROM oauth_clients;
--> statement-breakpoint
INSERT INTO counters SELECT 'oauth_clients ' || owner_id, count(*) FROM oauth_clients GROUP BY owner_id;
--> statement-breakpoint
INSERT INTO counters SELECT 'export_logs ' || user_id, count(*) FROM export_logs GROUP BY user_id;
--> statement-breakpoint
INSERT INTO counters SELECT 'audit_reports', count(*) FROM audit_reports;
--> statement-breakpoint
INSERT INTO counters SELECT 'audit_reports ' || status, count(*) FROM audit_reports GROUP BY status;
--> statement-breakpoint
INSERT INTO counters SELECT 'audit_reports of ' || user_id, count(*) FROM audit_reports GROUP BY user_id;
