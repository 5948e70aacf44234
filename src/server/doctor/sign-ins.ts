import type { Config } from "../../configuration/config";
import type { Provider } from "../../configuration/provider-options";
import { relyingParty } from "../../identity/webauthn/relying-party";
import type { DatabaseReport } from "./database";
import { type Finding, orOk, problem, warning } from "./findings";

/** Finds an installation that locks its users out, passkeys that open nothing any more, and roles of providers that don't exist. */
export function checkSignIns(
  config: Config,
  providers: readonly Provider[],
  { signIns, passkeys, roleNames }: Pick<DatabaseReport, "signIns" | "passkeys" | "roleNames">,
): Finding[] {
  const found: Finding[] = [];
  const who = config["auth.password_login"];
  const party = relyingParty();
  const lost = Object.entries(passkeys.hosts).filter(([host]) => host !== party?.id);
  const lostInAll = lost.reduce((sum, [, number]) => sum + number, 0);
  const hasPasskeys = party !== null && passkeys.total > lostInAll;
  const comesIn =
    hasPasskeys ||
    signIns.identities > 0 ||
    providers.some(({ allow_registration, trust_email }) => allow_registration || trust_email);
  const isWayBack =
    'set auth.password_login = local_admins, and make an administrator with `fairlead user create --role "Super Admin"`';
  if (who === "none" && providers.length === 0 && !hasPasskeys)
    found.push(
      problem(
        "sign-in",
        `auth.password_login is none, no OpenID provider is configured and there is no passkey, so nobody can sign in; ${isWayBack}`,
      ),
    );
  else if (who === "none" && !comesIn)
    found.push(
      warning(
        "sign-in",
        `auth.password_login is none and no account has a passkey or is linked to a provider, so nobody can sign in; ${isWayBack}, who links theirs under My account`,
      ),
    );
  else if (who === "local_admins" && signIns.adminsWithPassword === 0 && !comesIn)
    found.push(
      warning(
        "sign-in",
        'auth.password_login is local_admins and no administrator has a password, so nobody can sign in; make one with `fairlead user create --role "Super Admin"`',
      ),
    );
  for (const [host, number] of lost)
    found.push(
      warning(
        "sign-in",
        `${number === 1 ? "a passkey was" : `${number} passkeys were`} made for ${host}, ${
          party === null
            ? "but server.public_url permits no passkeys"
            : `but server.public_url is at ${party.id}`
        }, so browsers no longer offer ${number === 1 ? "it" : "them"}; go back to that host, or have the users sign in another way and add new ones`,
      ),
    );
  for (const { name, role_map } of providers)
    for (const role of new Set(role_map.map(([, each]) => each)))
      if (roleNames.length > 0 && !roleNames.includes(role))
        found.push(
          warning(
            "sign-in",
            `oidc.${name}.role_map names the role ${role}, which does not exist; make it, or correct the name`,
          ),
        );
  return orOk(found, "sign-in", "users have a way in");
}
