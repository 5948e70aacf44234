import { config } from "../../configuration/config";
import { AppError, badRequest } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import { log } from "../../kernel/logs/log";
import { SECOND } from "../../kernel/time/clock";

/** All three providers document the same contract (siteverify): POST a form, read `success`. */
const PUBLIC_URL = {
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
  hcaptcha: "https://api.hcaptcha.com/siteverify",
  recaptcha: "https://www.google.com/recaptcha/api/siteverify",
} as const;

type Provider = keyof typeof PUBLIC_URL;

/** Address at which a provider is asked. */
export const verifyAddress = (provider: Provider): string =>
  config["bot_protection.verify_url"] ?? PUBLIC_URL[provider];

const TIMEOUT = 5 * SECOND;

/** Longest token that Turnstile documents; the other providers state no limit. */
const MAX_TURNSTILE_TOKEN = 2_048;

/** Error codes for a fault in the visitor's answer. Any other is about this server or the provider. */
const VISITORS_FAULT = new Set([
  "missing-input-response",
  "invalid-input-response",
  "timeout-or-duplicate",
  "invalid-or-already-seen-response",
]);

/** Error code for the provider's own trouble, which passes. */
const PROVIDERS_FAULT = "internal-error";

const unavailable = () =>
  new AppError("ServiceUnavailable", "The bot protection cannot be reached now; try again later", {
    headers: { "retry-after": "30" },
  });

const failed = () => badRequest("The bot-protection challenge was not passed; solve a new one");

/**
 * Asks the configured provider if a challenge was solved; does nothing without a provider. Throws 400 when it
 * was not solved, and 503 when the provider can't tell: the check never fails open. A token counts once, so
 * nothing is asked twice.
 */
export async function checkBotProtection(token: unknown, client: Client): Promise<void> {
  const provider = config["bot_protection.provider"];
  if (provider === null) return;
  if (typeof token !== "string" || token === "")
    throw badRequest("challenge_token is required: the bot-protection challenge must be solved");
  if (provider === "turnstile" && token.length > MAX_TURNSTILE_TOKEN) throw failed();

  const verdict = await askProvider(provider, token, client.address);
  if (verdict.success) return;
  const visitors = verdict.codes.length === 0 || verdict.codes.every((code) => VISITORS_FAULT.has(code));
  if (visitors) throw failed();
  const codes = verdict.codes.join(" ");
  if (verdict.codes.includes(PROVIDERS_FAULT)) log.warn("the bot protection failed", { provider, codes });
  else log.error("the bot protection refuses this server's request: check its secret", { provider, codes });
  throw unavailable();
}

interface Verdict {
  success: boolean;
  codes: string[];
}

async function askProvider(provider: Provider, token: string, address: string): Promise<Verdict> {
  const form = new URLSearchParams({ secret: config["bot_protection.secret"] ?? "", response: token });
  if (address !== "unknown") form.set("remoteip", address);
  const giveUp = (why: string): never => {
    log.warn("the bot protection cannot be reached: what asks for a challenge gets 503", { provider, why });
    throw unavailable();
  };
  let status: number;
  let body: unknown;
  try {
    const answer = await fetch(verifyAddress(provider), {
      method: "POST",
      body: form,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    status = answer.status;
    body = status === 200 ? await answer.json() : null;
  } catch (error) {
    // Logs only the class and code: a message may quote the answer or the address.
    const { name, code } = error as { name?: string; code?: string | number };
    return giveUp(typeof code === "string" ? code : (name ?? "unknown"));
  }
  if (status !== 200) return giveUp(`status ${status}`);
  return readVerdict(body) ?? giveUp("the answer is no verdict");
}

function readVerdict(body: unknown): Verdict | null {
  if (typeof body !== "object" || body === null || !("success" in body)) return null;
  const { success, "error-codes": codes } = body as { success: unknown; "error-codes"?: unknown };
  if (typeof success !== "boolean") return null;
  return {
    success,
    codes: Array.isArray(codes) ? codes.filter((code) => typeof code === "string").slice(0, 10) : [],
  };
}
