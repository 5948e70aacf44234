import { config, publicUrl } from "../../configuration/config";
import { isPasskeyOrigin, isUnder } from "../../configuration/passkey-origins";
import { AppError } from "../../kernel/errors/errors";

/** This installation as authenticators know it: a relying party (WebAuthn Level 3, section 4). */
export interface RelyingParty {
  /** RP ID: the host that passkeys are bound to. */
  id: string;
  /** Origins of pages, and of apps, that may ask for them. */
  origins: string[];
}

/** The relying party of `server.public_url` and `webauthn.origins`; null where no browser would let it have passkeys. */
export function relyingParty(): RelyingParty | null {
  const url = new URL(publicUrl());
  const id = url.hostname;
  const origins = [url.origin, ...config["webauthn.origins"]].filter(
    (origin) => isPasskeyOrigin(origin) && (origin.startsWith("android:") || isUnder(new URL(origin), id)),
  );
  return origins.some((origin) => !origin.startsWith("android:"))
    ? { id, origins: [...new Set(origins)] }
    : null;
}

/** The relying party. Throws 409 where there can be none. */
export function requireRelyingParty(): RelyingParty {
  const party = relyingParty();
  if (!party)
    throw new AppError(
      "PasskeysUnavailable",
      "Passkeys need https and a host name, no address of numbers: set server.public_url to such an address, or to http://localhost on the server's own machine",
    );
  return party;
}
