import { Elysia } from "elysia";
import { guard, type RateRule, takeFromLimit } from "../../identity/access/guard";
import { beginLimit, callbackLimit } from "../../identity/oidc/begin";
import { AppError } from "../../kernel/errors/errors";
import { addressBlock, clientAddress } from "../../kernel/http/client";
import { beginSignIn, failurePage, takeBack } from "./flow";

const hidden = { open: true, detail: { hide: true } } as const;

type Step = (request: Request, name: string) => Promise<Response>;

/** Answers a browser with a page, also where its request is refused. `depth` is that of the address below the root. */
const asPage =
  (step: Step, depth: number, limit: RateRule) =>
  async ({ request, params }: { request: Request; params: Record<string, string> }): Promise<Response> => {
    // HEAD asks about the answer, and must use nothing up (RFC 9110, section 9.3.2).
    if (request.method === "HEAD")
      throw new AppError("MethodNotAllowed", "Open this address with GET", { headers: { allow: "GET" } });
    try {
      takeFromLimit(limit, addressBlock(clientAddress(request)), {});
      return await step(request, params.name ?? "");
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return failurePage(request, error, "../".repeat(depth));
    }
  };

/** The doors of browsers on their way to a provider and back: docs/sign-in.md has their parameters. */
export const elsewhereRoutes = new Elysia({ prefix: "/v1/auth/oidc" })
  .use(guard)
  .get("/:name", asPage(beginSignIn, 3, beginLimit), hidden)
  .get("/:name/callback", asPage(takeBack, 4, callbackLimit), hidden);
