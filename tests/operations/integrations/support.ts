import { expect } from "bun:test";
import { DiscordStandIn, discordAccount } from "../../stand-ins/discord";
import { GoogleStandIn, youtubeAccount } from "../../stand-ins/google";
import { Elsewhere } from "../../stand-ins/oauth-platform";
import { TwitchStandIn, twitchAccount } from "../../stand-ins/twitch";
import type { Answer, Token } from "../../support/api";
import { done, expectStatus } from "../../support/expectations";
import { externalUser } from "../../support/people";
import { rows } from "../../support/rows";
import { type Settings, TestServer } from "../../support/server";

/** Shared by the tests of integrations: a server with the stand-ins of all platforms, and a browser. */

export const SLUGS = ["twitch", "youtube", "discord"] as const;
export type Slug = (typeof SLUGS)[number];

/** The application at whose page a browser ends up. */
export const APP = "https://app.example";
export const PAGE = `${APP}/settings`;

export interface Harbour {
  server: TestServer;
  twitch: TwitchStandIn;
  youtube: GoogleStandIn;
  discord: DiscordStandIn;
  /** A server that must never be asked. */
  elsewhere: Elsewhere;
  stop: () => Promise<void>;
}

export async function startHarbour(settings: Settings = {}): Promise<Harbour> {
  const standIns = {
    twitch: new TwitchStandIn(),
    youtube: new GoogleStandIn(),
    discord: new DiscordStandIn(),
    elsewhere: new Elsewhere(),
  };
  const { twitch, youtube, discord } = standIns;
  const server = await TestServer.start({
    clock: "movable",
    settings: {
      ...twitch.settings,
      ...youtube.settings,
      ...discord.settings,
      "integrations.allowed_redirects": `${APP},http://localhost:5173`,
      ...settings,
    },
  });
  const harbour: Harbour = {
    ...standIns,
    server,
    stop: async () => {
      await harbour.server.stop();
      for (const standIn of Object.values(standIns)) await standIn.stop();
    },
  };
  registerCallBacks(harbour);
  return harbour;
}

/** Registers the server's call-backs at the platforms. */
export function registerCallBacks(harbour: Harbour): void {
  for (const slug of SLUGS)
    harbour[slug].redirectUri =
      `http://localhost:${new URL(harbour.server.url).port}/v1/integrations/callback/${slug}`;
}

/** Signs a new account in at a platform. */
export function newAccount(harbour: Harbour, slug: Slug): void {
  if (slug === "twitch") harbour.twitch.signedIn = twitchAccount();
  else if (slug === "youtube") harbour.youtube.signedIn = youtubeAccount();
  else harbour.discord.signedIn = discordAccount();
}

// --- The browser --------------------------------------------------------------------------------------------

export const startConnect = (
  { server }: Harbour,
  slug: string,
  token: Token,
  body: object = {},
): Promise<Answer> =>
  server.post(`/v1/integrations/platform/${slug}/connect`, { token, body: { redirect_uri: PAGE, ...body } });

/** The address to which to send the browser of a connection that starts. */
export async function authorization(
  harbour: Harbour,
  slug: Slug,
  token: Token,
  body: object = {},
): Promise<{ authorization_url: string; state: string }> {
  return expectStatus(await startConnect(harbour, slug, token, body), 200).body;
}

/** Consents, or denies, at a platform; returns the address of the call-back to which the browser is sent. */
export async function consent(authorizationUrl: string): Promise<string> {
  const answer = await fetch(authorizationUrl, { redirect: "manual" });
  const location = answer.headers.get("location");
  if (answer.status !== 302 || location === null)
    throw new Error(`the platform answered ${answer.status}: ${await answer.text()}`);
  return location;
}

/** Follows the platform's redirect to the call-back. */
export function callBack({ server }: Harbour, address: string): Promise<Answer> {
  const { pathname, search } = new URL(address);
  return server.get(pathname + search);
}

/** Starts a connection and consents; returns the address of the call-back, which isn't followed yet. */
export async function consented(
  harbour: Harbour,
  slug: Slug,
  token: Token,
  body: object = {},
): Promise<string> {
  return consent((await authorization(harbour, slug, token, body)).authorization_url);
}

/** The status and reason with which a browser ends up on the application's page. */
export function outcome({ status, headers, body }: Answer): { status: string | null; reason: string | null } {
  const location = headers.get("location");
  if (status !== 302 || location === null) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  const url = new URL(location);
  expect(url.origin).toBe(APP);
  return { status: url.searchParams.get("status"), reason: url.searchParams.get("reason") };
}

export const CONNECTED = { status: "connected", reason: null };
export const failed = (reason: string) => ({ status: "error", reason });

/** Connects the account that is signed in at a platform; returns the record. */
export async function connectAs(harbour: Harbour, slug: Slug, token: Token, body: object = {}) {
  expect(outcome(await callBack(harbour, await consented(harbour, slug, token, body)))).toEqual(CONNECTED);
  const list = done(await harbour.server.get(`/v1/integrations/platform/${slug}`, { token }));
  return list[0];
}

export interface Connected {
  /** The user. */
  userId: string;
  token: Token;
  /** Identifier of the integration. */
  id: string;
  path: string;
}

/** A new user with a new account on a platform, connected. */
export async function connected(harbour: Harbour, slug: Slug, body: object = {}): Promise<Connected> {
  newAccount(harbour, slug);
  const user = await externalUser(harbour.server);
  const { id } = await connectAs(harbour, slug, user.token, body);
  return { userId: user.id, token: user.token, id, path: `/v1/integrations/${id}` };
}

export const statsOf = ({ server }: Harbour, { path, token }: Connected) =>
  server.post(`${path}/stats`, { token });

export const refresh = ({ server }: Harbour, { path, token }: Connected) =>
  server.post(`${path}/refresh`, { token });

export const isActive = async ({ server }: Harbour, { path, token }: Connected): Promise<boolean> =>
  done(await server.get(path, { token })).data.is_active;

// --- Stored state -------------------------------------------------------------------------------------------

export interface IntegrationRow {
  id: string;
  user_id: string;
  platform: string;
  access_token: string | null;
  refresh_token: string | null;
  token_expires_at: number | null;
  validated_at: number | null;
  is_active: number;
  removed_at: number | null;
}

export const integrationRow = ({ server }: Harbour, id: string): IntegrationRow | undefined =>
  rows<IntegrationRow>(server, "SELECT * FROM integrations WHERE id = ?", id)[0];

/** Everything that operations on integrations may change. */
export const kept = ({ server }: Harbour) => ({
  integrations: rows(server, "SELECT * FROM integrations ORDER BY id"),
  events: rows(
    server,
    "SELECT id, event_type FROM audit_events WHERE event_type LIKE 'account_%' ORDER BY id",
  ),
});

/** The authorizations of a user that aren't completed. */
export const pendingOf = ({ server }: Harbour, userId: string) =>
  rows<{ state_hash: string; platform: string }>(
    server,
    "SELECT * FROM integration_states WHERE user_id = ?",
    userId,
  );

/** The audit events about integrations of a user, oldest first. */
export const linkEvents = ({ server }: Harbour, userId: string): string[] =>
  rows<{ event_type: string }>(
    server,
    "SELECT event_type FROM audit_events WHERE user_id = ? AND resource_type = 'integration' ORDER BY id",
    userId,
  ).map(({ event_type }) => event_type);
