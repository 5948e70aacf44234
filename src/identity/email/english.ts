import { lazy } from "../../kernel/values/lazy";
import { masked } from "./masked";
import type { Language } from "./templates";

// Lazy: the formatter takes ten milliseconds the first time.
const date = lazy(
  () => new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }),
);

export const english: Language = {
  greeting: (username) => (username === null ? "Hello," : `Hello ${username},`),
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
      case "invitation":
        return {
          subject: `Your invitation to ${site}`,
          paragraphs: [
            content.invitedBy === null
              ? `You are invited to ${site}. Choose a username and a password to create your account.`
              : `${content.invitedBy} invites you to ${site}. Choose a username and a password to create your account.`,
            `The link works once, until ${time(content.expiresAt)}.`,
          ],
          ...(content.note && { quote: content.note }),
          button: "Create account",
          otherwise:
            "If you don't know what this is about, ignore this email: without the link there will be no account.",
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
      case "passkey_added":
        return {
          subject: `A passkey was added to your account on ${site}`,
          paragraphs: [
            `The passkey “${content.name}” was added to your account on ${site} on ${time(content.at)}. Whoever has it can sign in without your password.`,
            "You can look through your passkeys, and remove them, under My account.",
          ],
          otherwise:
            "If this wasn't you, remove the passkey at once, end your other sessions, and choose a new password.",
        };
      case "passkey_removed":
        return {
          subject: `A passkey was removed from your account on ${site}`,
          paragraphs: [
            `The passkey “${content.name}” was removed from your account on ${site} on ${time(content.at)}. It opens nothing here any more; your device may still show it until you delete it there.`,
          ],
          otherwise: suspicious,
        };
      case "password_changed":
        return {
          subject: `Your password for ${site} was changed`,
          paragraphs: [
            `The password of your account on ${site} was changed on ${time(content.at)}. The old one no longer works, and the other sessions were ended.`,
          ],
          otherwise:
            "If this wasn't you, reset your password at once, delete the API keys that you don't know, and tell whoever runs this installation.",
        };
      case "email_change_requested":
        return {
          subject: `Another email address for your account on ${site}?`,
          paragraphs: [
            `Somebody, hopefully you, asked on ${time(content.at)} to give your account on ${site} the email address ${masked(content.address)}. A link was sent there; until it is used, nothing changes.`,
          ],
          otherwise:
            "If this wasn't you, end your other sessions and change your password at once: that takes the request back. And tell whoever runs this installation.",
        };
      case "email_changed":
        return {
          subject: `New email address for your account on ${site}`,
          paragraphs: [
            `Your account on ${site} has had the email address ${masked(content.address)} since ${time(content.at)}. It signs in with that one now, and emails about the account go there.`,
            "This is the last email about it to this address.",
          ],
          otherwise:
            "If this wasn't you, tell whoever runs this installation at once: only they can give you the account back.",
        };
      case "api_key_created":
      case "api_key_regenerated":
      case "api_key_widened":
        if (content.isSystem)
          return {
            subject:
              content.kind === "api_key_widened"
                ? `Longer life of a system key on ${site}`
                : `New value of a system key on ${site}`,
            paragraphs: [
              content.kind === "api_key_widened"
                ? `A system key of ${site} was switched on, or got a later end, on ${time(content.at)}:`
                : `A system key of ${site} got a new value on ${time(content.at)}; the old one no longer works:`,
              `It begins with ${content.prefix}. Whoever has it can do everything on this installation, without signing in.`,
            ],
            quote: content.name,
            otherwise:
              "If this was neither you nor somebody you work with, give the key a new value at once, change your password, end your other sessions, delete the API keys that you don't know, and tell whoever runs this installation.",
          };
        return {
          subject: {
            api_key_created: `New API key for your account on ${site}`,
            api_key_regenerated: `New value of an API key on ${site}`,
            api_key_widened: `An API key of yours may do more on ${site}`,
          }[content.kind],
          paragraphs: [
            {
              api_key_created: `An API key was created for your account on ${site} on ${time(content.at)}:`,
              api_key_regenerated: `An API key of your account on ${site} got a new value on ${time(content.at)}; the old one no longer works:`,
              api_key_widened: `An API key of your account on ${site} got more permissions or a later end, or was switched on again, on ${time(content.at)}:`,
            }[content.kind],
            `It begins with ${content.prefix}. Whoever has it can act for you as far as the key permits, without signing in.`,
            ...(content.silentUntil === null
              ? []
              : [
                  `This is one of many new or changed keys. Until ${time(content.silentUntil)} no more emails about keys are sent to you, even if there are more: look at the list of your API keys.`,
                ]),
          ],
          quote: content.name,
          otherwise:
            "If this wasn't you, delete the key at once, change your password, end your other sessions, and tell whoever runs this installation.",
        };
      case "client_secret_changed":
      case "client_redirected":
        return {
          subject: {
            client_secret_changed: `New secret of an OAuth client on ${site}`,
            client_redirected: `An OAuth client of yours sends users elsewhere on ${site}`,
          }[content.kind],
          paragraphs: [
            {
              client_secret_changed: `An OAuth client of your account on ${site} got a new secret on ${time(content.at)}; the old one no longer works. Whoever has the secret can pass for the application:`,
              client_redirected: `An OAuth client of your account on ${site} got other redirect addresses or another type on ${time(content.at)}. Whoever is at these addresses can sign in as the users of the application:`,
            }[content.kind],
            ...(content.silentUntil === null
              ? []
              : [
                  `This is one of many changes. Until ${time(content.silentUntil)} no more emails about clients are sent to you, even if there are more: look at the list of your OAuth clients.`,
                ]),
          ],
          quote: content.name,
          otherwise:
            "If this was neither you nor an administrator whom you asked, correct the client and give it a new secret at once, change your password, end your other sessions, and tell whoever runs this installation.",
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
      case "two_factor_failures":
        return {
          subject: content.locked
            ? `Signing in with a second factor is locked on ${site}`
            : `Wrong codes for your account on ${site}`,
          paragraphs: [
            `${content.failures} wrong codes in a row were entered as the second factor of your account on ${site}, the last one on ${time(content.at)}. Whoever entered them knows your password or has a session of yours.`,
            content.locked
              ? "No code is accepted for now. Reset your password with “Forgot password”, which opens it again, or ask whoever runs this installation."
              : "After each further wrong code the next one has to wait longer. After a hundred no code is accepted until you reset your password.",
          ],
          otherwise:
            "If this wasn't you, choose a new password at once, end your other sessions, and tell whoever runs this installation.",
        };
      case "password_failures":
        return {
          subject: `Wrong passwords for your account on ${site}`,
          paragraphs: [
            `${content.failures} wrong passwords in a row were entered in a session of your account on ${site}, the last one on ${time(content.at)}. Whoever entered them is signed in as you, or has one of your API keys.`,
            "After each further wrong password the next one has to wait longer.",
          ],
          otherwise:
            "If this wasn't you, end your other sessions at once, look through your API keys, and choose a new password with “Forgot password”.",
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
