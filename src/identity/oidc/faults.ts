import {
  JWT_TIMESTAMP_CHECK,
  RESPONSE_BODY_ERROR,
  RESPONSE_IS_NOT_CONFORM,
  WWW_AUTHENTICATE_CHALLENGE,
} from "oauth4webapi";
import { logFailure } from "../../kernel/errors/trouble";
import { OutboundError } from "../../kernel/http/outbound";
import { SignInRefused } from "./refusals";

/** The steps in which a provider is asked. */
type Step = "discovery" | "answer" | "token" | "keys" | "userinfo";

/** Errors of a token endpoint that mean that this installation is refused (RFC 6749, section 5.2). */
const OUR_FAULT = ["invalid_client", "unauthorized_client"];

/** Errors as a provider may word them: anything else is quoted nowhere. */
const ERROR_WORD = /^[a-z_]{1,64}$/;

/**
 * The reason why a step failed. The library's errors quote answers, tokens and all: their codes alone are kept.
 */
export function faultOf(error: unknown, step: Step): SignInRefused {
  if (error instanceof SignInRefused) return error;
  if (error instanceof OutboundError)
    return new SignInRefused("provider_unreachable", `${step}: ${error.message}`);
  const { code, name, error: word, status } = error as Record<string, unknown>;
  if (typeof code !== "string") {
    // None of the library's own: the fault may be here.
    logFailure("an answer of a provider could not be read", error, { step });
    return new SignInRefused("bad_answer", `${step}: ${name ?? "unknown"}`);
  }
  const detail = `${step}: ${[code, typeof word === "string" && ERROR_WORD.test(word) ? word : null].filter(Boolean).join(" ")}`;
  if (code === JWT_TIMESTAMP_CHECK) return new SignInRefused("clock_skew", detail);
  if (step === "token" && (code === WWW_AUTHENTICATE_CHALLENGE || OUR_FAULT.includes(String(word))))
    return new SignInRefused("client_refused", detail);
  if (step === "token" && word === "invalid_grant") return new SignInRefused("code_refused", detail);
  if (code === RESPONSE_BODY_ERROR) return new SignInRefused("provider_error", detail);
  if (code === RESPONSE_IS_NOT_CONFORM && step !== "keys")
    return new SignInRefused("provider_unreachable", `${detail} ${name} ${status ?? ""}`.trim());
  return new SignInRefused("bad_answer", detail);
}
