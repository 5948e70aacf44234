import { nullable, out, record, t } from "../../kernel/http/schema";
import { emailField } from "../directory/schema";
import { newPasswordField } from "../passwords/schema";
import { proofFields } from "../proof/schema";
import { verificationToken } from "../verification/schema";

export const EmailChange = t.Object({ email: emailField, ...proofFields }, { title: "EmailChange" });

/** `password` is the new one for the account, so the only proof that fits in is a code. */
export const EmailLink = t.Object(
  { email: emailField, password: newPasswordField, code: proofFields.code },
  { title: "EmailLink" },
);

export const VerificationToken = t.Object({ token: verificationToken }, { title: "VerificationToken" });

export const VerificationSent = record(
  "VerificationSent",
  {
    message: out.string("What was done", "A verification email was sent to the new address"),
    expires_at: out.time("When its link expires"),
  },
  "An email with a link was sent",
);

const expires_at = nullable(out.time("When its link expires; null when nothing is pending"));

export const PendingEmailChange = record(
  "PendingEmailChange",
  {
    pending: out.boolean("Whether a change waits for its verification"),
    new_email: nullable(out.email("The new address", "skipper@example.net")),
    expires_at,
  },
  "A change of address that waits for its verification",
);

export const PendingEmailLink = record(
  "PendingEmailLink",
  {
    pending: out.boolean("Whether a link waits for its verification"),
    email: nullable(out.email("The address", "skipper@example.net")),
    expires_at,
  },
  "An address that waits for its verification",
);

export const LinkedEmail = record(
  "LinkedEmail",
  {
    message: out.string("What was done", "The email address is linked"),
    platform_account_id: out.uuid("The new platform account"),
  },
  "An address to sign in with was linked",
);
