import { sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { devices } from "../../tracking/devices/table";
import { SHARE_LEVELS } from "../access/share-levels";
import { roles } from "../roles/table";
import { users } from "../users/table";

/** Accounts that somebody is asked to make, with the rights that they will have. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: id(),
    /** SHA-256 of the token, base64. */
    token_hash: text().notNull().unique(),
    /** The address that the link was sent to; null where it was handed over. */
    email: text(),
    note: text(),
    /** The user who invites; null for a key that is nobody's. */
    made_by: text().references(() => users.id, { onDelete: "set null" }),
    /** The key that made it. It must still exist, and still have the right, when the invitation is accepted. */
    made_by_key: text(),
    /** The session that made it. The invitation ends if that session is revoked. */
    made_by_session: text(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
    accepted_at: time(),
    /** The user whose account it made. */
    accepted_by: text().references(() => users.id, { onDelete: "set null" }),
    revoked_at: time(),
  },
  (table) => [
    index("invitations_made_by").on(table.made_by),
    index("invitations_accepted_by").on(table.accepted_by),
    index("invitations_expiry").on(table.expires_at),
    index("invitations_pending").on(table.expires_at).where(sql`accepted_at IS NULL AND revoked_at IS NULL`),
  ],
);

/** Roles that the invited user gets. */
export const invitationRoles = sqliteTable(
  "invitation_roles",
  {
    invitation_id: text()
      .notNull()
      .references(() => invitations.id, { onDelete: "cascade" }),
    role_id: text()
      .notNull()
      .references(() => roles.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.invitation_id, table.role_id] }),
    index("invitation_roles_role").on(table.role_id),
  ],
);

/** Devices that are shared with the invited user. */
export const invitationDevices = sqliteTable(
  "invitation_devices",
  {
    invitation_id: text()
      .notNull()
      .references(() => invitations.id, { onDelete: "cascade" }),
    device_id: text()
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
    level: text({ enum: SHARE_LEVELS }).notNull(),
    expires_at: time(),
  },
  (table) => [
    primaryKey({ columns: [table.invitation_id, table.device_id] }),
    index("invitation_devices_device").on(table.device_id),
  ],
);
