import { lazy } from "../../kernel/lazy";
import type { Language } from "./templates";

// Ten milliseconds the first time.
const date = lazy(
  () => new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }),
);

export const english: Language = {
  greeting: (username) => `Hello ${username},`,
  linkHint: "If the button does nothing, copy this address into your browser:",
  footer: (site) =>
    `Fairlead on ${site} sent this email automatically, because it concerns an account there. Replies are not read.`,
  words(content, site) {
    const time = (at: number) => `${date().format(at)} UTC`;
    const suspicious =
      "If this wasn't you, change your password at once, end your other sessions, and tell whoever runs this installation.";
    switch (content.kind) {
      case "registration":
        return {
          subject: `Confirm your email address for ${site}`,
          paragraphs: [
            `Somebody, hopefully you, signed up on ${site} with this email address. Confirm the address to create the account.`,
            `The link works once, until ${time(content.expiresAt)}.`,
          ],
          button: "Confirm email address",
          otherwise:
            "If you didn't sign up, ignore this email: without the confirmation there will be no account.",
        };
      case "email_change":
        return {
          subject: `Confirm your new email address for ${site}`,
          paragraphs: [
            `You asked to change the email address of your account on ${site} to this one. Confirm it to make the change.`,
            `The link works once, until ${time(content.expiresAt)}. Until then you sign in with the old address.`,
          ],
          button: "Confirm new address",
          otherwise:
            "If you didn't ask for this, ignore this email: nothing changes without the confirmation.",
        };
      case "email_link":
        return {
          subject: `Confirm signing in by email on ${site}`,
          paragraphs: [
            `You asked to sign in to your account on ${site} with this email address and a password as well. Confirm the address to link it.`,
            `The link works once, until ${time(content.expiresAt)}.`,
          ],
          button: "Link email address",
          otherwise:
            "If you didn't ask for this, ignore this email: nothing is linked without the confirmation.",
        };
      case "password_reset":
        return {
          subject: `Choose a new password for ${site}`,
          paragraphs: [
            `Somebody, hopefully you, asked for a new password for your account on ${site}. Choose it below; that also signs you out everywhere.`,
            `The link works once, until ${time(content.expiresAt)}.`,
          ],
          button: "Choose a new password",
          otherwise: "If you didn't ask for this, ignore this email: your password stays as it is.",
        };
      case "deletion_scheduled":
        return {
          subject: `Your account on ${site} will be deleted`,
          paragraphs: [
            `You asked for the deletion of your account on ${site}. It will be deleted on ${time(content.deletedAt)}, and cannot be restored then.`,
            "Until that moment you can change your mind: sign in and take the deletion back.",
          ],
          otherwise: "If this wasn't you, sign in, take the deletion back and change your password at once.",
        };
      case "two_factor_enabled":
        return {
          subject: `Two-factor authentication is on for ${site}`,
          paragraphs: [
            `Two-factor authentication was switched on for your account on ${site} on ${time(content.at)}, set up from ${content.platformName}.`,
            "From now on signing in needs a code from your authenticator app. Keep your backup codes in a safe place: each works once, if you lose the app.",
          ],
          otherwise: suspicious,
        };
      case "two_factor_disabled":
        return {
          subject: `Two-factor authentication is off for ${site}`,
          paragraphs: [
            `Two-factor authentication was switched off for your account on ${site} on ${time(content.at)}; it had been set up from ${content.platformName}.`,
            "Signing in no longer needs a code, and your backup codes no longer work. You can switch it on again at any time.",
          ],
          otherwise: suspicious,
        };
      case "backup_codes_regenerated":
        return {
          subject: `New backup codes for ${site}`,
          paragraphs: [
            `New backup codes were made for your account on ${site} on ${time(content.at)}. All earlier backup codes are invalid.`,
            "Keep the new ones in a safe place: each works once.",
          ],
          otherwise: suspicious,
        };
      case "backup_codes_low":
        return {
          subject: `Few backup codes left for ${site}`,
          paragraphs: [
            `A backup code was just used to sign in to your account on ${site}. ${codesLeft(content.remaining)}`,
            "Make new ones in the settings of your account before the last one is used: without your authenticator app and without backup codes you can't sign in.",
          ],
          otherwise: suspicious,
        };
      case "audit_report_updated":
        return {
          subject: `News about your report on ${site}`,
          paragraphs: [
            `The activity on your account that you reported on ${site} was looked at. Your report is now marked as: ${STATUS[content.status] ?? content.status}.`,
            ...(content.notes ? ["The note of whoever handled it:"] : []),
          ],
          ...(content.notes && { quote: content.notes }),
          otherwise: "There is nothing you need to do. If you didn't report anything, change your password.",
        };
    }
  },
};

const STATUS: Record<string, string> = {
  pending: "pending",
  reviewed: "reviewed",
  resolved: "resolved",
  dismissed: "dismissed",
};

function codesLeft(remaining: number): string {
  if (remaining === 0) return "It was the last one.";
  return remaining === 1 ? "One is left." : `${remaining} are left.`;
}
