import type { Config } from "../../configuration/config";
import type { Provider } from "../../configuration/provider-options";
import type { DatabaseReport } from "./database";
import { type Finding, orOk, problem, warning } from "./findings";

/** Finds an installation that locks its users out, and roles of providers that don't exist. */
export function checkSignIns(
  config: Config,
  providers: readonly Provider[],
  { signIns, roleNames }: Pick<DatabaseReport, "signIns" | "roleNames">,
): Finding[] {
  const found: Finding[] = [];
  const who = config["auth.password_login"];
  const comesIn = providers.some(({ allow_registration, trust_email }) => allow_registration || trust_email);
  const isWayBack =
    'set auth.password_login = local_admins, and make an administrator with `fairlead user create --role "Super Admin"`';
  if (who === "none" && providers.length === 0)
    found.push(
      problem(
        "sign-in",
        `auth.password_login is none and no OpenID provider is configured, so nobody can sign in; ${isWayBack}`,
      ),
    );
  else if (who === "none" && signIns.identities === 0 && !comesIn)
    found.push(
      warning(
        "sign-in",
        `auth.password_login is none and no account is linked to a provider, so nobody can sign in; ${isWayBack}, who links theirs under My account`,
      ),
    );
  else if (who === "local_admins" && signIns.adminsWithPassword === 0 && signIns.identities === 0 && !comesIn)
    found.push(
      warning(
        "sign-in",
        'auth.password_login is local_admins and no administrator has a password, so nobody can sign in; make one with `fairlead user create --role "Super Admin"`',
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
