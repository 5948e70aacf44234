import type { PermissionSet } from "../../identity/access/permissions";
import { logFailure } from "../../kernel/errors/trouble";
import { OutboundError } from "../../kernel/http/outbound";
import { AddressRefused } from "../../kernel/http/permitted-address";
import type { Outcome } from "../../outbox/sender";
import { rightsOf } from "../targets/maker";
import { openSecrets } from "../targets/secrets";
import type { TargetRow } from "../targets/service";
import { sendToMailbox } from "./kinds/email";
import { sendToBroker } from "./kinds/mqtt";
import { sendToNtfy } from "./kinds/ntfy";
import { failure, type Message } from "./kinds/outcome";
import { sendToTelegram } from "./kinds/telegram";
import { sendToWebhook } from "./kinds/webhook";
import { visibleTo } from "./payload";

const later = (error: string): Outcome => ({ result: "later", status: null, error });

/** Makes one attempt to reach a target, which takes as long as the other side lets it, within bounds. Never throws. */
export async function send(
  target: TargetRow,
  message: Message,
  payload: Record<string, unknown>,
): Promise<Outcome> {
  const rights = rightsOf(target);
  if (!rights)
    return {
      ...{ result: "refused", status: null },
      error: "whoever said where the target leads may not read alerts any more",
    };
  let secrets: string[];
  try {
    secrets = openSecrets(target);
  } catch {
    return later("the secret can't be decrypted: is the master key another one?");
  }
  try {
    return await sendBy(target, secrets, message, payload, rights);
  } catch (error) {
    if (error instanceof OutboundError || error instanceof AddressRefused) return failure(error);
    logFailure("a delivery failed for a reason of this program's own", error, { target: target.id });
    return later("this server failed; see its log");
  }
}

function sendBy(
  target: TargetRow,
  secrets: string[],
  message: Message,
  payload: Record<string, unknown>,
  rights: PermissionSet,
): Promise<Outcome> {
  const { kind, settings } = target;
  switch (kind) {
    case "webhook":
      return sendToWebhook(settings.url ?? "", secrets, message, visibleTo(rights, payload));
    case "email":
      return sendToMailbox(target, message);
    case "ntfy":
      return sendToNtfy(settings, secrets, message);
    case "telegram":
      return sendToTelegram(settings, secrets, message);
    case "mqtt":
      return sendToBroker(settings, message, visibleTo(rights, payload));
  }
}
