-- The counts of audit_days follow every change of audit_events, whoever makes it.
CREATE TRIGGER audit_days_insert AFTER INSERT ON audit_events BEGIN
	INSERT INTO audit_days VALUES (new.created_at / 86400000, new.event_type, coalesce(new.resource_type, ''), new.status, new.source_service, new.is_reported, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER audit_days_delete AFTER DELETE ON audit_events BEGIN
	UPDATE audit_days SET n = n - 1
	WHERE day = old.created_at / 86400000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported;
	DELETE FROM audit_days
	WHERE day = old.created_at / 86400000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported AND n = 0;
END;
--> statement-breakpoint
CREATE TRIGGER audit_days_report AFTER UPDATE OF is_reported ON audit_events WHEN old.is_reported <> new.is_reported BEGIN
	UPDATE audit_days SET n = n - 1
	WHERE day = old.created_at / 86400000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported;
	DELETE FROM audit_days
	WHERE day = old.created_at / 86400000 AND event_type = old.event_type AND resource_type = coalesce(old.resource_type, '')
		AND status = old.status AND source_service = old.source_service AND is_reported = old.is_reported AND n = 0;
	INSERT INTO audit_days VALUES (new.created_at / 86400000, new.event_type, coalesce(new.resource_type, ''), new.status, new.source_service, new.is_reported, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
INSERT INTO audit_days
SELECT created_at / 86400000, event_type, coalesce(resource_type, ''), status, source_service, is_reported, count(*)
FROM audit_events GROUP BY 1, 2, 3, 4, 5, 6;
