import { Elysia } from "elysia";
import type { AccessNote } from "../../identity/access/guard";
import { AppError } from "../../kernel/errors/errors";
import { addressBlock, clientAddress } from "../../kernel/http/client";
import type { HookContext } from "../../kernel/http/http";
import { isTurnLong } from "../../kernel/http/pipelining";
import { inTurns } from "../../kernel/limits/turns";
import { type BoxCaller, findBoxByToken } from "./authenticate";

interface BoxContext extends HookContext {
  box?: BoxCaller;
}

const BEARER = /^Bearer +([!-~]+) *$/i;

/** Requests that came in a turn of the event loop which has taken long already. */
const nextTurn = inTurns({ ofTurn: 8 });

/**
 * The box of a request, by its Authorization header. Throws 401, also for sessions and API keys. Whoever reads a body asks again
 * afterwards, and once more in the transaction: the box may have been deleted meanwhile.
 */
export function requireBox(request: Request): BoxCaller {
  const token = BEARER.exec(request.headers.get("authorization") ?? "")?.[1];
  const box = token === undefined ? null : findBoxByToken(token);
  if (box) return box;
  throw new AppError("Unauthorized", "The token of a box is missing, not valid, or has ended", {
    headers: { "www-authenticate": "Bearer" },
  });
}

/** The mark of what boxes ask for, `box: true`: it lets in who brings a box's token. A body is the route's to read. */
export const boxGuard = new Elysia({ name: "box-guard" }).macro({
  box(_: true) {
    return {
      detail: { "x-access": { requires: "box", limited: false } } satisfies AccessNote as object,
      async transform(context: BoxContext) {
        context.box = requireBox(context.request);
        if (isTurnLong()) await nextTurn(() => addressBlock(clientAddress(context.request)));
      },
      resolve({ box }: BoxContext): { box: BoxCaller } {
        return { box: box as BoxCaller };
      },
    };
  },
});
