import { iso } from "../../kernel/clock";
import type { Role } from "./schema";
import type { roles } from "./table";

export const toRole = (row: typeof roles.$inferSelect): Role => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
