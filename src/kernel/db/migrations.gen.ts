// Written by `bun run generate`. Do not edit.
import m0 from "../../../drizzle/0000_init.sql" with { type: "text" };
import m1 from "../../../drizzle/0001_geofence_index.sql" with { type: "text" };
import m2 from "../../../drizzle/0002_accounts.sql" with { type: "text" };
import m3 from "../../../drizzle/0003_two_factor.sql" with { type: "text" };
import m4 from "../../../drizzle/0004_verification_keys.sql" with { type: "text" };
import m5 from "../../../drizzle/0005_audit.sql" with { type: "text" };
import m6 from "../../../drizzle/0006_audit_days.sql" with { type: "text" };
import m7 from "../../../drizzle/0007_exports.sql" with { type: "text" };
import m8 from "../../../drizzle/0008_audit_indexes.sql" with { type: "text" };
import m9 from "../../../drizzle/0009_operations.sql" with { type: "text" };
import m10 from "../../../drizzle/0010_trip_distances.sql" with { type: "text" };
import m11 from "../../../drizzle/0011_loose_points.sql" with { type: "text" };
import m12 from "../../../drizzle/0012_community.sql" with { type: "text" };
import m13 from "../../../drizzle/0013_community_search.sql" with { type: "text" };
import m14 from "../../../drizzle/0014_point_places.sql" with { type: "text" };
import m15 from "../../../drizzle/0015_point_seasons.sql" with { type: "text" };
import m16 from "../../../drizzle/0016_sign_in_addresses.sql" with { type: "text" };
import m17 from "../../../drizzle/0017_who_wrote_it.sql" with { type: "text" };
import m18 from "../../../drizzle/0018_session_sign_in.sql" with { type: "text" };
import m19 from "../../../drizzle/0019_bounds.sql" with { type: "text" };
import m20 from "../../../drizzle/0020_registration_hold.sql" with { type: "text" };
import m21 from "../../../drizzle/0021_what_a_thief_keeps.sql" with { type: "text" };
import m22 from "../../../drizzle/0022_lists_by_time.sql" with { type: "text" };
import m23 from "../../../drizzle/0023_audit_quarters.sql" with { type: "text" };
import m24 from "../../../drizzle/0024_data_in.sql" with { type: "text" };
import m25 from "../../../drizzle/0025_feed.sql" with { type: "text" };
import m26 from "../../../drizzle/0026_zones.sql" with { type: "text" };
import m27 from "../../../drizzle/0027_notifications.sql" with { type: "text" };
import m28 from "../../../drizzle/0028_alerts.sql" with { type: "text" };
import m29 from "../../../drizzle/0029_orphaned_rules.sql" with { type: "text" };
import m30 from "../../../drizzle/0030_device_shares.sql" with { type: "text" };
import m31 from "../../../drizzle/0031_trip_log.sql" with { type: "text" };
import m32 from "../../../drizzle/0032_invitations.sql" with { type: "text" };
import m33 from "../../../drizzle/0033_timeline.sql" with { type: "text" };
import m34 from "../../../drizzle/0034_share_links.sql" with { type: "text" };
import m35 from "../../../drizzle/0035_older_secrets.sql" with { type: "text" };
import m36 from "../../../drizzle/0036_spans_of_deleted_devices.sql" with { type: "text" };
import m37 from "../../../drizzle/0037_boxes.sql" with { type: "text" };
import m38 from "../../../drizzle/0038_sync.sql" with { type: "text" };
import m39 from "../../../drizzle/0039_mqtt.sql" with { type: "text" };
import m40 from "../../../drizzle/0042_oauth.sql" with { type: "text" };
import m41 from "../../../drizzle/0043_passkeys.sql" with { type: "text" };
import m42 from "../../../drizzle/0044_elsewhere.sql" with { type: "text" };
import m43 from "../../../drizzle/0045_audit_chain.sql" with { type: "text" };
import m44 from "../../../drizzle/0046_rare_changes.sql" with { type: "text" };
import m45 from "../../../drizzle/0047_water_levels.sql" with { type: "text" };

export const migrations: { tag: string; sql: string }[] = [
  { tag: "0000_init", sql: m0 },
  { tag: "0001_geofence_index", sql: m1 },
  { tag: "0002_accounts", sql: m2 },
  { tag: "0003_two_factor", sql: m3 },
  { tag: "0004_verification_keys", sql: m4 },
  { tag: "0005_audit", sql: m5 },
  { tag: "0006_audit_days", sql: m6 },
  { tag: "0007_exports", sql: m7 },
  { tag: "0008_audit_indexes", sql: m8 },
  { tag: "0009_operations", sql: m9 },
  { tag: "0010_trip_distances", sql: m10 },
  { tag: "0011_loose_points", sql: m11 },
  { tag: "0012_community", sql: m12 },
  { tag: "0013_community_search", sql: m13 },
  { tag: "0014_point_places", sql: m14 },
  { tag: "0015_point_seasons", sql: m15 },
  { tag: "0016_sign_in_addresses", sql: m16 },
  { tag: "0017_who_wrote_it", sql: m17 },
  { tag: "0018_session_sign_in", sql: m18 },
  { tag: "0019_bounds", sql: m19 },
  { tag: "0020_registration_hold", sql: m20 },
  { tag: "0021_what_a_thief_keeps", sql: m21 },
  { tag: "0022_lists_by_time", sql: m22 },
  { tag: "0023_audit_quarters", sql: m23 },
  { tag: "0024_data_in", sql: m24 },
  { tag: "0025_feed", sql: m25 },
  { tag: "0026_zones", sql: m26 },
  { tag: "0027_notifications", sql: m27 },
  { tag: "0028_alerts", sql: m28 },
  { tag: "0029_orphaned_rules", sql: m29 },
  { tag: "0030_device_shares", sql: m30 },
  { tag: "0031_trip_log", sql: m31 },
  { tag: "0032_invitations", sql: m32 },
  { tag: "0033_timeline", sql: m33 },
  { tag: "0034_share_links", sql: m34 },
  { tag: "0035_older_secrets", sql: m35 },
  { tag: "0036_spans_of_deleted_devices", sql: m36 },
  { tag: "0037_boxes", sql: m37 },
  { tag: "0038_sync", sql: m38 },
  { tag: "0039_mqtt", sql: m39 },
  { tag: "0042_oauth", sql: m40 },
  { tag: "0043_passkeys", sql: m41 },
  { tag: "0044_elsewhere", sql: m42 },
  { tag: "0045_audit_chain", sql: m43 },
  { tag: "0046_rare_changes", sql: m44 },
  { tag: "0047_water_levels", sql: m45 },
];
