-- Positions by 128 days, for lists recorded before these were counted: see src/tracking/gps/places.ts.
INSERT INTO counters
SELECT substr(name, 1, length(name) - 13) || ' season ' || printf('%08d', substr(name, -8) / 128), sum(value)
FROM counters WHERE name GLOB 'gps_points day *' OR name GLOB 'trip_points * day *' GROUP BY 1;
