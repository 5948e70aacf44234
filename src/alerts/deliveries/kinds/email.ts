import { eq } from "drizzle-orm";
import { config, publicUrl } from "../../../configuration/config";
import { apiKeys } from "../../../identity/api-keys/table";
import { isAddressProved } from "../../../identity/directory/accounts";
import { findUser } from "../../../identity/directory/users";
import { renderHtml, renderText } from "../../../identity/email/layout";
import type { Email } from "../../../identity/email/templates";
import { tryEmail } from "../../../identity/email/transport";
import { db } from "../../../kernel/db/connection";
import type { Outcome } from "../../../outbox/sender";
import type { TargetRow } from "../../targets/service";
import { LANGUAGES, type Language } from "../../texts/language";
import type { Message } from "./outcome";

/** Shown with what counts as delivered, and yet reaches nobody: an alarm would be waited for in vain. */
const WRITTEN = "email.transport is outbox: the email was written to a file on the server, and nobody got it";

/** Sends a message by the email transport of the installation. */
export async function sendToMailbox(target: TargetRow, message: Message): Promise<Outcome> {
  const outcome = await tryEmail(compose(target, message), message.id);
  const isWritten = outcome.result === "delivered" && config["email.transport"] === "outbox";
  return isWritten ? { ...outcome, error: WRITTEN } : outcome;
}

function compose(target: TargetRow, { title, body }: Message): Email {
  const { locale, settings } = target;
  const language = LANGUAGES[locale];
  const site = new URL(publicUrl()).host;
  const parts = {
    locale,
    subject: title,
    greeting: language.greeting,
    paragraphs: [title, ...(body === "" ? [] : body.split(/\n+/))],
    quote: null,
    action: null,
    otherwise: noteTo(target, language, site),
    footer: language.footer(site),
  };
  return {
    kind: "alert",
    to: settings.to ?? "",
    locale,
    subject: title,
    text: renderText(parts),
    html: renderHtml(parts),
    token: null,
    link: null,
  };
}

/** The reason why the email came: it names who asked, unless that is the reader. */
function noteTo({ user_id, api_key_id, settings }: TargetRow, language: Language, site: string): string {
  if (user_id !== null && isAddressProved(user_id, settings.to?.toLowerCase() ?? ""))
    return language.own(site);
  const user = user_id === null ? undefined : findUser(user_id);
  return language.asked(site, user?.username ?? keyName(api_key_id, language) ?? language.somebody);
}

function keyName(id: string | null, language: Language): string | null {
  if (id === null) return null;
  const key = db.select({ name: apiKeys.name }).from(apiKeys).where(eq(apiKeys.id, id)).get();
  return key ? language.key(key.name) : null;
}
