import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { guard, type RateRule, takeFromLimit } from "../../identity/access/guard";
import { OAuthError } from "../../identity/oauth/errors";
import { AppError } from "../../kernel/errors/errors";
import { addressBlock, clientAddress } from "../../kernel/http/client";
import { type Fields, queryOf, readForm } from "../../kernel/http/form";
import { begin, decide, proceed } from "./flow";
import { readerOf } from "./layout";
import { failurePage } from "./pages";
import { takeCode, takePasskey, takePasskeyAsCode, takePassword } from "./sign-in";
import { beginSignOut, decideSignOut, proceedSignOut } from "./sign-out";
import { lookAnswer, passkeyAnswer, styleAnswer } from "./style";

/** Pages of one address: strangers may ask for them, and each costs some looks into the database. */
const limit: RateRule = { name: "oauth-page", rate: () => config["rate_limit.oauth"] };

const hidden = { open: true, detail: { hide: true } } as const;

type Step = (request: Request, fields: Fields) => Promise<Response>;

/** Answers with a page, also where the request is refused. */
async function asPage(
  request: Request,
  fields: () => Fields | Promise<Fields>,
  step: Step,
): Promise<Response> {
  try {
    takeFromLimit(limit, addressBlock(clientAddress(request)), {});
    return await step(request, await fields());
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return failed(request, error);
  }
}

function failed(request: Request, error: AppError): Response {
  const reader = readerOf(request);
  if (error instanceof OAuthError) return failurePage(reader, error);
  const { refusals } = reader.words;
  const words: Record<string, string> = {
    TooManyRequests: refusals.TooManyRequests(error.headers?.["retry-after"] ?? "60"),
    Forbidden: refusals.foreignForm,
  };
  const { status, headers } = error;
  return failurePage(reader, { status, headers, message: words[error.name] ?? refusals.other }, null);
}

const byGet =
  (step: Step) =>
  ({ request }: { request: Request }) => {
    // HEAD asks about the answer, and must use nothing up (RFC 9110, section 9.3.2).
    if (request.method === "HEAD")
      throw new AppError("MethodNotAllowed", "Open this address with GET", { headers: { allow: "GET" } });
    return asPage(request, () => queryOf(request), step);
  };
const byPost =
  (step: Step) =>
  ({ request }: { request: Request }) =>
    asPage(request, () => readForm(request), step);

/** The pages that a browser is sent to by applications: docs/sign-in.md has their parameters. */
export const authorizePages = new Elysia({ prefix: "/oauth" })
  .use(guard)
  .get("/style.css", ({ request }) => styleAnswer(request), hidden)
  .get("/look.js", ({ request }) => lookAnswer(request), hidden)
  .get("/passkey.js", ({ request }) => passkeyAnswer(request), hidden)
  .get("/authorize", byGet(begin), hidden)
  .post("/authorize", byPost(begin), hidden)
  .get("/continue", byGet(proceed), hidden)
  .post("/sign-in", byPost(takePassword), hidden)
  .post("/code", byPost(takeCode), hidden)
  .post("/passkey", byPost(takePasskey), hidden)
  .post("/passkey-code", byPost(takePasskeyAsCode), hidden)
  .post("/consent", byPost(decide), hidden)
  .get("/logout", byGet(beginSignOut), hidden)
  .post("/logout", byPost(beginSignOut), hidden)
  .get("/sign-out", byGet(proceedSignOut), hidden)
  .post("/sign-out", byPost(decideSignOut), hidden);
