import { config } from "../../configuration/config";
import { sameSecret } from "../../kernel/crypto/crypto";
import { unauthorized } from "../../kernel/errors/errors";
import { addressBlock, clientAddress } from "../../kernel/http/client";
import type { HookContext } from "../../kernel/http/http";
import { APP_ID, type Caller } from "./caller";
import { type RateRule, takeFromLimit } from "./limit";
import { PermissionSet } from "./permissions";

/** The identity web app, which holds no API key but a key of the configuration: `security.id_app_key`. */

/** The header by which the identity web app identifies itself. */
export const APP_KEY = "x-id-app-key";

/** The caller with the configured X-ID-App-Key: a service of the installation, which may write events. */
const APP: Caller = {
  kind: "key",
  id: APP_ID,
  tokenHash: "",
  userId: null,
  isSystem: false,
  deviceId: null,
  permissions: new PermissionSet(["audit:write"]),
  isSuperAdmin: false,
  expiresAt: null,
  usedAt: 0,
};

/** Wrong app keys that one address may send: as many as passwords at the login. */
const wrongAppKeys: RateRule = { name: "app-key", rate: () => config["rate_limit.login"] };

/**
 * The caller with an app key. Only wrong keys are counted: the right one can't be guessed, and if it counted,
 * others at the same address could silence the services. Throws 401 and 429.
 */
export function appOf(given: string, request: Request, headers: HookContext["set"]["headers"]): Caller {
  const expected = config["security.id_app_key"];
  if (expected !== null && sameSecret(given, expected)) return APP;
  takeFromLimit(wrongAppKeys, addressBlock(clientAddress(request)), headers);
  throw unauthorized("The X-ID-App-Key is not valid");
}
