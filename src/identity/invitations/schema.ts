import { baseUrl } from "../../kernel/http/reachable-url";
import {
  characters,
  dateTime,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
  uuid,
} from "../../kernel/http/schema";
import { LOCALES } from "../../kernel/values/bilingual";
import { ShareLevel } from "../../tracking/shares/schema";
import { emailField, usernameField } from "../directory/schema";
import { NewPasskey } from "../passkeys/schema";
import { newPasswordField } from "../passwords/schema";
import { proofFields } from "../proof/schema";
import { roleParameter } from "../roles/schema";

const INVITATION_STATUSES = ["pending", "accepted", "expired", "revoked"] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

const statusField = oneOf(INVITATION_STATUSES, "Where it stands; one that is pending can be accepted");

const note = (description: string) =>
  characters({ maxLength: 500, description, examples: ["Welcome aboard! We sail on Friday."] });

const InvitedShare = record(
  "InvitedShare",
  {
    device_id: out.uuid("The device"),
    level: ShareLevel,
    expires_at: nullable(out.time("When the share ends; null for never")),
  },
  "A device that the invited user will see",
);

const shown = {
  id: out.uuid("Identifier"),
  email: nullable(
    out.email("Address that the link was sent to; null for a link to hand over", "anna@example.org"),
  ),
  role_ids: t.Array(t.String(), {
    description: "Roles that the user gets beside the role User",
    examples: [["role_user"]],
  }),
  device_shares: t.Array(InvitedShare, { description: "Devices that are shared with the user" }),
  note: nullable(note("Words to the invited person, which the email shows")),
  status: statusField,
  made_by: nullable(out.uuid("The user who invites; null for a key of the installation")),
  created_at: out.time("When it was created"),
  expires_at: out.time("When it ends, if nobody accepts it before"),
  accepted_at: nullable(out.time("When it was accepted; null for one that was not")),
  accepted_by: nullable(out.uuid("The user whose account it made; null until then")),
  revoked_at: nullable(out.time("When it was revoked; null for one that was not")),
};

export const Invitation = record("Invitation", shown, "An account that somebody is asked to make");
export type Invitation = (typeof Invitation)["static"];

export const CreatedInvitation = record(
  "CreatedInvitation",
  {
    ...shown,
    url: nullable(
      out.uri(
        "The link to hand over; shown only once, and null where it was sent by email",
        "https://boat.example.org/invitation#token=0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ&ask=email",
      ),
    ),
  },
  "An invitation just created: the only time that its link is shown",
);
export type CreatedInvitation = (typeof CreatedInvitation)["static"];

/** Longest life of an invitation, in hours. */
const MAX_HOURS = 720;
export const DEFAULT_HOURS = 72;

const DeviceShareInput = t.Object({
  device_id: uuid("The device"),
  level: ShareLevel,
  expires_at: optional(dateTime("When the share ends, in the future; null or left out for never")),
});

export const NewInvitation = t.Object(
  {
    email: optional(emailField),
    role_ids: t.Optional(
      t.Array(roleParameter(), {
        maxItems: 50,
        uniqueItems: true,
        description: "Roles that the user gets beside the role User",
        examples: [["role_user"]],
      }),
    ),
    device_shares: t.Optional(
      t.Array(DeviceShareInput, {
        maxItems: 100,
        description: "Devices that the user sees without the permission to see all, each once",
      }),
    ),
    expires_in_hours: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: MAX_HOURS,
        default: DEFAULT_HOURS,
        description: "Hours for which it can be accepted",
        examples: [DEFAULT_HOURS],
      }),
    ),
    note: optional(note("Words to the invited person, which the email shows")),
    base_url: optional(baseUrl()),
    ...proofFields,
  },
  {
    title: "NewInvitation",
    examples: [
      {
        email: "anna@example.org",
        role_ids: ["role_user"],
        device_shares: [{ device_id: "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01", level: "history" }],
        expires_in_hours: DEFAULT_HOURS,
      },
    ],
  },
);
export type NewInvitation = (typeof NewInvitation)["static"];

export const StatusQuery = t.Optional(
  oneOf(INVITATION_STATUSES, "Only invitations that stand there; left out for all"),
);

export const TokenParams = t.Object({
  token: characters({
    minLength: 1,
    maxLength: 128,
    description: "The token of the link: what follows `token=`, up to an ampersand",
    examples: ["0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
  }),
});

export const Acceptance = t.Object(
  {
    username: usernameField,
    password: optional(newPasswordField),
    passkey: optional(NewPasskey),
    email: optional(emailField),
    locale: optional(
      characters({
        maxLength: 16,
        "x-shown": { enum: LOCALES, maxLength: null },
        description: "Language of emails to the user: one of `email.supported_locales`",
        examples: ["de"],
      }),
    ),
  },
  {
    title: "Acceptance",
    examples: [{ username: "anna", password: "a long passphrase", email: "anna@example.org" }],
  },
);
export type Acceptance = (typeof Acceptance)["static"];

export const PasskeyForAcceptance = t.Object({ username: usernameField }, { title: "PasskeyForAcceptance" });
