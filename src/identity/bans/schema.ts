import { characters, nullable, optional, out, record, t } from "../../kernel/http/schema";

/** 100 years: a longer ban is permanent in all but name, and clients may fail to read its end as a date. */
export const MAX_DURATION_SECONDS = 3_155_760_000;

const banFields = {
  id: out.uuid("Identifier"),
  user_id: out.uuid("Who is banned"),
  reason: nullable(out.string("Why; the user may read it", "Repeated spam")),
  banned_by: nullable(out.uuid("Who banned; null for a system key without owner")),
  banned_at: out.time("When it began"),
  expires_at: nullable(out.time("When it ends by itself; null for a permanent ban")),
  is_permanent: out.boolean("Whether it lasts until somebody ends it", false),
};

export const Ban = record("Ban", banFields, "A ban");
export type Ban = (typeof Ban)["static"];

export const PastBan = record(
  "PastBan",
  {
    ...banFields,
    unbanned_at: nullable(out.time("When it ended; null while it lasts")),
    unbanned_by: nullable(out.uuid("Who ended it; null when it ran out")),
  },
  "A ban of a user's history",
);
export type PastBan = (typeof PastBan)["static"];

export const BanStatus = record(
  "BanStatus",
  {
    is_banned: out.boolean("Whether the user is banned now"),
    active_ban: nullable(Ban),
  },
  "Whether a user is banned, and how",
);
export type BanStatus = (typeof BanStatus)["static"];

export const NewBan = t.Object(
  {
    reason: optional(
      characters({
        maxLength: 1_000,
        description: "Why; the user may read it",
        examples: ["Repeated spam"],
      }),
    ),
    duration_seconds: optional(
      t.Integer({
        minimum: 1,
        maximum: MAX_DURATION_SECONDS,
        description: "How long it lasts; null or left out for a permanent ban",
        examples: [86_400],
      }),
    ),
  },
  { title: "NewBan" },
);
export type NewBan = (typeof NewBan)["static"];
