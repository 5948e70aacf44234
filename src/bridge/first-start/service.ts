import { isIP } from "node:net";
import { publicUrl } from "../../configuration/config";
import { type AnyActor, transactAs } from "../../identity/access/actor";
import { SUPER_ADMIN } from "../../identity/access/caller";
import { hasSuperAdmin } from "../../identity/access/rank";
import { checkFree } from "../../identity/auth/registration";
import type { AuthResponse } from "../../identity/auth/schema";
import { signIn } from "../../identity/auth/service";
import { insertUser } from "../../identity/directory/new-user";
import { checkPassword } from "../../identity/passwords/rules";
import { hashPassword } from "../../kernel/crypto/crypto";
import { conflict, forbidden } from "../../kernel/errors/errors";
import { addressBlock } from "../../kernel/http/client";
import { iso } from "../../kernel/time/clock";
import {
  endCode,
  isCode,
  makeCode,
  removeCodeFile,
  shownCode,
  shownCommand,
  startCodes,
  tryCode,
} from "./code";
import type { FirstAdministrator, FirstStart } from "./schema";

/** The first administrator, who is made on the page by whoever has the code. */

/** Shows a code while there is no super admin. */
export function offerFirstStart(...output: Parameters<typeof startCodes>): void {
  if (hasSuperAdmin()) removeCodeFile();
  else startCodes(...output);
}

/** True for a name that no stranger's domain can have: one of this network, an address, or that of `server.public_url`. */
const isNear = (name: string): boolean =>
  isIP(name.replace(/^\[|\]$/g, "")) !== 0 ||
  !name.includes(".") ||
  /\.(?:local|lan|internal|home\.arpa)$/.test(name) ||
  name === new URL(publicUrl()).hostname;

/**
 * Refuses a request that came by a foreign name, as that of a page whose name was made to lead here (DNS rebinding). Throws
 * 403.
 */
export function requireNear(request: Request): void {
  const name = URL.parse(`http://${request.headers.get("host")}`)?.hostname ?? "";
  if (name === "" || !isNear(name.toLowerCase()))
    throw forbidden(
      "Open this page by the server's address in your network, or set server.public_url to the address that you use",
    );
}

/** The state before there is an administrator, as the page explains it. */
export function firstStart(): FirstStart {
  const isNeeded = !hasSuperAdmin();
  // One may have been made by a command meanwhile.
  if (!isNeeded) endCode();
  const code = isNeeded ? shownCode() : null;
  return {
    is_needed: isNeeded,
    command: isNeeded ? shownCommand() : null,
    code: code && {
      shown: code.shown,
      file: code.file,
      expires_at: iso(code.until),
      tries_left: code.triesLeft,
    },
  };
}

const requireNeeded = (): void => {
  if (hasSuperAdmin()) throw conflict("There is an administrator already: sign in");
};

/** Makes and shows another code once the last one can't be entered any more. Throws 409. */
export function renewCode(): FirstStart {
  requireNeeded();
  if (shownCode()) throw conflict("The code that was shown last is still good");
  makeCode();
  return firstStart();
}

/**
 * Makes the first administrator, who is signed in: of parallel requests with the code one succeeds. Throws 400, 403 for a
 * code that is wrong or has ended, and 409 if there is an administrator, or for a name or an address in use.
 */
export async function makeFirstAdministrator(
  actor: AnyActor,
  { code, ...input }: FirstAdministrator,
): Promise<AuthResponse> {
  requireNeeded();
  const tried = tryCode(code);
  if (tried === "ended") throw forbidden("The code has ended: make another one");
  if (typeof tried === "number")
    throw forbidden(
      tried === 0
        ? "The code is wrong, and was tried too often: make another one"
        : `The code is wrong; tries left: ${tried}`,
    );
  const { client } = actor;
  const username = input.username.toLowerCase();
  const email = input.email.toLowerCase();
  checkPassword(input.password, username);
  const passwordHash = await hashPassword(input.password, addressBlock(client.address));
  const signedIn = await transactAs(actor, () => {
    requireNeeded();
    if (!isCode(code)) throw forbidden("The code has ended meanwhile: make another one");
    checkFree(email, username, client, true);
    const user = insertUser({ username, email, passwordHash, roles: [SUPER_ADMIN] });
    return signIn({ ...user, locale: null }, "email", client);
  });
  endCode();
  return signedIn;
}
