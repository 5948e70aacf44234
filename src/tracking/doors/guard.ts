import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import type { AccessNote } from "../../identity/access/guard";
import { AppError } from "../../kernel/errors/errors";
import { mayLog } from "../../kernel/errors/trouble";
import { addressBlock, cameInClear, clientAddress } from "../../kernel/http/client";
import type { HookContext } from "../../kernel/http/http";
import { readMessage } from "../../kernel/http/message";
import { isTurnLong, requireConnected } from "../../kernel/http/pipelining";
import { takeToken } from "../../kernel/limits/rate-limit";
import { inTurns } from "../../kernel/limits/turns";
import { log } from "../../kernel/logs/log";
import { findDeviceKey, findTracker, noteUse, type Reporter } from "../trackers/authenticate";
import { presentedBy } from "./credentials";
import type { Delivery } from "./service";

interface DoorContext extends HookContext {
  params: { token?: string };
  delivery?: Delivery;
}

/**
 * Refusals that an address gets at once; further ones take turns, so that a flood of wrong tokens waits for itself. Right
 * ones never wait: an app with an old token must not silence the others behind its address.
 */
const REFUSALS = { requests: 60, seconds: 60 };
const refusalTurn = inTurns({ ofTurn: 4 });

/** Requests that came in a turn of the event loop which has taken long already. */
const nextTurn = inTurns({ ofTurn: 8 });

/** Basic is among the challenges for apps that send a password only when they are asked. */
const CHALLENGE = 'Bearer, Basic realm="Fairlead", charset="UTF-8"';

/** Whoever sends a request. Throws 401, and nothing else: some apps drop what another refusal answers. */
async function admit(request: Request, inAddress: readonly string[]): Promise<Reporter> {
  const presented = presentedBy(request.headers.get("authorization"), inAddress);
  const reporter =
    presented &&
    (findTracker(presented.token) ?? (presented.isBearer ? findDeviceKey(presented.token) : null));
  if (reporter) return reporter;
  if (config["rate_limit.enabled"]) {
    const block = addressBlock(clientAddress(request));
    if (!takeToken(`refused at a door ${block}`, REFUSALS).allowed) await refusalTurn(block);
  }
  throw new AppError("Unauthorized", "The token is missing, not valid, or has ended", {
    headers: { "www-authenticate": CHALLENGE },
  });
}

/** Tells the operator, once a minute, that tokens can be read by others. */
function warnInClear(request: Request, { id }: Reporter): void {
  if (cameInClear(request) && mayLog("tokens in clear"))
    log.warn("an app sends its token in clear text through the internet; give it an https address", {
      tracker: id,
    });
}

/** The tokens in the address of a request: in its path and, where the door takes one, in `api_key` of its query. */
function addressTokens({ url }: Request, inPath: string | undefined, takesApiKey: boolean): string[] {
  const inQuery = takesApiKey && url.includes("?") ? new URL(url).searchParams.getAll("api_key") : [];
  return inPath === undefined ? inQuery : [inPath, ...inQuery];
}

/**
 * The mark of the doors of apps: `tracker: "token"`, or `tracker: "token or api_key"` where a token may stand in the query.
 * It lets in who brings a right token, reads the body, and looks again at whoever took long to send it.
 */
export const doorGuard = new Elysia({ name: "door-guard" }).macro({
  tracker(mark: "token" | "token or api_key") {
    const takesApiKey = mark === "token or api_key";
    return {
      detail: {
        "x-access": { requires: "tracker", ...(takesApiKey && { also: "api_key" }), limited: false },
      } satisfies AccessNote as object,
      async transform(context: DoorContext) {
        const { request, params } = context;
        context.set.headers["referrer-policy"] = "no-referrer";
        const tokens = addressTokens(request, params?.token, takesApiKey);
        if (isTurnLong()) await nextTurn(() => addressBlock(clientAddress(request)));
        const reporter = await admit(request, tokens);
        const message = request.method === "POST" ? await readMessage(request) : new Uint8Array(0);
        if (message !== "endless") await requireConnected(request);
        context.delivery = { reporter: await admit(request, tokens), message };
        if (noteUse(reporter)) warnInClear(request, reporter);
      },
      resolve({ delivery }: DoorContext): { delivery: Delivery } {
        return { delivery: delivery as Delivery };
      },
    };
  },
});
