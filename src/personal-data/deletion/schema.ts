import { proofFields } from "../../identity/proof/schema";
import { characters, nullable, optional, out, record, t } from "../../kernel/http/schema";

export const DeletionStatus = record(
  "DeletionStatus",
  {
    is_scheduled_for_deletion: out.boolean("Whether the account is about to be deleted"),
    scheduled_deletion_at: nullable(out.time("When it will be; null when no deletion is scheduled")),
    is_deleted: out.boolean("Whether it is deleted", false),
    deleted_at: nullable(out.time("When it was deleted")),
  },
  "Whether an account is deleted, or about to be",
);
export type DeletionStatus = (typeof DeletionStatus)["static"];

export const DeletionRequest = t.Object(
  {
    password: optional(
      characters({
        minLength: 1,
        maxLength: 128,
        description: "The current password: required of an account that has one",
        examples: ["a long passphrase"],
      }),
    ),
    code: optional(
      characters({
        maxLength: 32,
        description: "TOTP or backup code, where two-factor authentication is on",
        examples: ["123456"],
      }),
    ),
  },
  { title: "DeletionRequest" },
);
export type DeletionRequest = (typeof DeletionRequest)["static"];

export const ForcedDeletion = t.Object(
  {
    reason: optional(
      characters({
        maxLength: 1_000,
        description: "Why: told to the user's open connections, and kept nowhere",
        examples: ["Requested by letter"],
      }),
    ),
    ...proofFields,
  },
  { title: "ForcedDeletion" },
);
export type ForcedDeletion = (typeof ForcedDeletion)["static"];
