import { accepted, newInvitation } from "../../identity/invitations/support";
import { CALLBACK, codeFor, newClient, type TestClient, tokensFor } from "../../identity/oauth/support";
import { Browser, newAccount, signInThrough } from "../../identity/oidc/support";
import { register as addPasskey, newAuthenticator, signInBy } from "../../identity/passkeys/support";
import { challenge, turnOn } from "../../identity/two-factor/support";
import { done } from "../../support/expectations";
import { type Person, registered, signInExternally, type User } from "../../support/people";
import { assign, grant, newRole } from "../../support/roles";
import type { Installation } from "./installation";

/** Users, and the ways in which they sign in; roles, clients and invitations. */

export const ANNA: Person = { username: "anna", email: "anna@example.org", password: "a long passphrase" };
const CARLA: Person = { username: "carla", email: "carla@example.org", password: "another long passphrase" };
const DORA: Person = { username: "dora", email: "dora@example.org", password: "one more long passphrase" };

export interface People {
  anna: User;
  bert: string;
  role: string;
  client: TestClient;
}

/** Lets them come. A share of the device goes along with an invitation. */
export async function gather(
  installation: Installation,
  device: { id: string; keyId: string },
): Promise<People> {
  const { home } = installation;
  const anna = await registered(home, ANNA);
  await reportEvent(installation, anna);
  const bert = await banned(installation);
  await guarded(installation);
  await changes(installation, anna);
  await signIns(installation, anna);
  const { id: role } = await crew(installation, anna, device.keyId);
  await invitations(installation, role, device.id);
  const client = await newClient(home, { name: "Crew app", redirect_uris: [CALLBACK] });
  return { anna, bert, role, client };
}

/** An event that a user did not cause. */
async function reportEvent({ home }: Installation, { token }: User): Promise<void> {
  const { events } = done(await home.get("/v1/users/me/audit", { token }));
  const body = { reason: "not_me", description: "I was asleep" };
  done(await home.post(`/v1/users/me/audit/${events[0].id}/report`, { token, body }));
}

/** A user who came through a platform, and is banned. */
async function banned({ home }: Installation): Promise<string> {
  const { id } = await signInExternally(home, {
    ...{ email: "bert@example.org", name: "Bert", image: "https://cdn.example.org/bert.png" },
    ...{ oauthProvider: "discord", oauthProviderId: "80351110224678912" },
  });
  const token = await home.admin();
  done(await home.post(`/v1/users/${id}/ban`, { token, body: { reason: "Repeated spam" } }));
  return id;
}

/** A user with a second factor, whose sign-in waits for the code, and who has forgotten the password. */
async function guarded({ home }: Installation): Promise<void> {
  const carla = await turnOn(home, await registered(home, CARLA));
  await challenge(home, carla);
  done(await home.post("/v1/auth/reset-password", { body: { email: CARLA.email } }));
}

/** Changes of a user to the own account, and a copy of all that is kept of it. */
async function changes({ home }: Installation, { id, token, password }: User): Promise<void> {
  done(await home.patch(`/v1/users/${id}/locale`, { token, body: { locale: "de" } }));
  const body = { email: "anna@elsewhere.example", password };
  done(await home.post(`/v1/users/${id}/email/request-change`, { token, body }));
  done(await home.get("/v1/user/export", { token }));
  const event = {
    ...{ user_id: id, event_type: "consent_granted", resource_type: "client", status: "success" },
    ...{ source_service: "api", metadata: { scope: "profile" }, description: "Granted access" },
  };
  done(await home.post("/v1/internal/audit", { token: home.systemKey, body: event }));
}

/** A passkey that has signed in; a user whom an OpenID provider knows, a sign-in there that is under way, and one that came back. */
async function signIns({ home, provider }: Installation, anna: User): Promise<void> {
  const authenticator = newAuthenticator(home);
  await addPasskey(home, anna.token, authenticator, { name: "Phone" });
  done(await signInBy(home, authenticator));
  provider.account = newAccount();
  await signInThrough(home, "harbour");
  await new Browser(home).begin("harbour");
  const { reason } = await new Browser(home).goThrough("harbour");
  if (reason !== null) throw new Error(`the provider's answer was refused: ${reason}`);
}

/** A role, and a user and a key that have it. */
async function crew({ home }: Installation, { id }: User, keyId: string) {
  const role = await newRole(home, "gps:read");
  done(await grant(home, role.id, "devices:read"));
  await assign(home, id, role.id);
  const token = await home.admin();
  done(await home.post(`/v1/api-keys/${keyId}/roles`, { token, body: { role_id: role.id } }));
  return role;
}

/** An application that holds tokens of a user, and a code that waits for it, which lasts for a minute. */
export async function authorize({ home }: Installation, { anna, client }: People): Promise<void> {
  await tokensFor(home, client, anna.token, "openid profile offline_access");
  await codeFor(home, client, anna.token);
}

/** An invitation that was accepted, and one that waits. */
async function invitations({ home }: Installation, role: string, device_id: string): Promise<void> {
  const what = { role_ids: [role], device_shares: [{ device_id, level: "history" }] };
  const { token } = await newInvitation(home, what);
  await accepted(home, token, DORA);
  await newInvitation(home, { ...what, email: "emil@example.org", note: "Welcome aboard" });
}
