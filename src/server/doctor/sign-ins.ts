import type { Config } from "../../configuration/config";
import type { Provider } from "../../configuration/provider-options";
import { relyingParty } from "../../identity/webauthn/relying-party";
import type { DatabaseReport } from "./database";
import { type Finding, orOk, problem, warning } from "./findings";

const CHECK = "sign-in";

const CREATE_ADMIN = '`fairlead user create --role "Super Admin"`';
const WAY_BACK = {
  en: `set auth.password_login = local_admins, and make an administrator with ${CREATE_ADMIN}`,
  de: `setze auth.password_login = local_admins, und lege mit ${CREATE_ADMIN} ein Konto für die Verwaltung an`,
};

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
  if (who === "none" && providers.length === 0 && !hasPasskeys)
    found.push(
      problem(CHECK, {
        en: `auth.password_login is none, no OpenID provider is configured and there is no passkey, so nobody can sign in; ${WAY_BACK.en}`,
        de: `auth.password_login ist none, es ist kein OpenID-Anbieter eingestellt und es gibt keinen Passkey, also kann sich niemand anmelden; ${WAY_BACK.de}`,
      }),
    );
  else if (who === "none" && !comesIn)
    found.push(
      warning(CHECK, {
        en: `auth.password_login is none and no account has a passkey or is linked to a provider, so nobody can sign in; ${WAY_BACK.en}, who links theirs under My account`,
        de: `auth.password_login ist none, und kein Konto hat einen Passkey oder ist mit einem Anbieter verbunden, also kann sich niemand anmelden; ${WAY_BACK.de}, das sich unter „Mein Konto“ mit dem Anbieter verbindet`,
      }),
    );
  else if (who === "local_admins" && signIns.adminsWithPassword === 0 && !comesIn)
    found.push(
      warning(CHECK, {
        en: `auth.password_login is local_admins and no administrator has a password, so nobody can sign in; make one with ${CREATE_ADMIN}`,
        de: `auth.password_login ist local_admins, und in der Verwaltung hat niemand ein Passwort, also kann sich niemand anmelden; lege mit ${CREATE_ADMIN} ein Konto an`,
      }),
    );
  for (const [host, number] of lost) found.push(lostPasskeys(host, number, party?.id ?? null));
  for (const { name, role_map } of providers)
    for (const role of new Set(role_map.map(([, each]) => each)))
      if (roleNames.length > 0 && !roleNames.includes(role))
        found.push(
          warning(CHECK, {
            en: `oidc.${name}.role_map names the role ${role}, which does not exist; make it, or correct the name`,
            de: `oidc.${name}.role_map nennt die Rolle ${role}, die es nicht gibt; lege sie an, oder berichtige den Namen`,
          }),
        );
  return orOk(found, CHECK, { en: "users have a way in", de: "wer ein Konto hat, kommt hinein" });
}

/** Passkeys were made for a host where the page is no more; `now` is its host, null where there can be no passkeys. */
function lostPasskeys(host: string, number: number, now: string | null): Finding {
  const isOne = number === 1;
  const why =
    now === null
      ? { en: "permits no passkeys", de: "erlaubt keine Passkeys" }
      : { en: `is at ${now}`, de: `liegt bei ${now}` };
  return warning(CHECK, {
    en: `${isOne ? "a passkey was" : `${number} passkeys were`} made for ${host}, but server.public_url ${why.en}, so browsers no longer offer ${isOne ? "it" : "them"}; go back to that host, or have the users sign in another way and add new ones`,
    de: `${isOne ? "ein Passkey wurde" : `${number} Passkeys wurden`} für ${host} angelegt, aber server.public_url ${why.de}, also bieten Browser ${isOne ? "ihn" : "sie"} nicht mehr an; kehre zu diesem Namen zurück, oder lass alle, die es betrifft, sich anders anmelden und neue anlegen`,
  });
}
