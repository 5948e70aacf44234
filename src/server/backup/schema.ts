import { localeQuery } from "../../kernel/http/accept";
import { nullable, oneOf, out, record, t } from "../../kernel/http/schema";

const Backup = record(
  "Backup",
  {
    name: out.string("Its file in the folder of backups", "fairlead-20260504T120000Z.db"),
    kind: oneOf(
      ["scheduled", "before_migration"],
      "`scheduled`: made by schedule or on demand; `before_migration`: made before a new version changed the database",
      "scheduled",
    ),
    made_at: out.time("When it was made"),
    bytes: t.Integer({ minimum: 0, description: "Its size", examples: [104_857_600] }),
  },
  "A whole copy of the database",
);

export const BackupsQuery = t.Object({ locale: localeQuery("`error`") });

export const Backups = record(
  "Backups",
  {
    backups: t.Array(Backup, { description: "Newest first" }),
    interval_hours: out.number("Hours between two that the server makes by itself; 0 for none", 24),
    keep: out.number("Scheduled ones that are kept", 7),
    started_at: nullable(out.time("When the one that is being made was begun; null if none is")),
    failed_at: nullable(out.time("When the last attempt failed; null if it didn't")),
    error: nullable(out.string("Why it failed", "no space left on device")),
  },
  "The backups on this machine",
);
export type Backups = (typeof Backups)["static"];
