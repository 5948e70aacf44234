import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FAILURES } from "../../stand-ins/oauth-platform";
import { done, expectRefused } from "../../support/expectations";
import { externalUser } from "../../support/people";
import { write } from "../../support/rows";
import {
  callBack,
  connectAs,
  connected,
  consented,
  type Harbour,
  integrationRow,
  isActive,
  newAccount,
  outcome,
  refresh,
  SLUGS,
  startHarbour,
  statsOf,
} from "./support";

/** A token that Fairlead doesn't keep is revoked at the platform (rule I3). */
let harbour: Harbour;
beforeAll(async () => {
  harbour = await startHarbour();
});
afterAll(() => harbour.stop());

const remove = async ({ path, token }: { path: string; token: string }) =>
  done(await harbour.server.delete(path, { token })).message as string;

describe("tokens that nobody keeps are revoked", () => {
  test("on Twitch, the former ones of an account that is connected again, one after the other or at once", async () => {
    const user = await connected(harbour, "twitch");
    await connectAs(harbour, "twitch", user.token);
    const addresses = await Promise.all([1, 2, 3].map(() => consented(harbour, "twitch", user.token)));
    await Promise.all(addresses.map((address) => callBack(harbour, address)));
    expect(await remove(user)).toContain("revoked");
    const own = harbour.twitch.grants.filter(({ account }) => account === harbour.twitch.signedIn);
    expect(own.length).toBe(5);
    expect(own.flatMap(({ access }) => [...access])).toEqual([]);
  });

  test.each(SLUGS)("on %s, those of a connection that fails after the code was exchanged", async (slug) => {
    newAccount(harbour, slug);
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, slug, user.token);
    done(await harbour.server.post("/v1/auth/logout", { token: user.token }));
    expect(outcome(await callBack(harbour, address)).status).toBe("error");
    expect([...(harbour[slug].grants.at(-1)?.access ?? ["there is none"])]).toEqual([]);
  });

  test("but not where that would end another connection of the user", async () => {
    const user = await connected(harbour, "discord");
    const first = harbour.discord.grants.at(-1);
    harbour.discord.answerNext("/users/@me", FAILURES["status 500"]);
    const address = await consented(harbour, "discord", user.token);
    expect(outcome(await callBack(harbour, address)).reason).toBe("provider_unavailable");
    expect(first?.access.size).toBe(1);
    expect((await statsOf(harbour, user)).status).toBe(200);
  });
});

describe("an integration without a refresh token", () => {
  test("stays active when somebody asks for a renewal, until its token is refused", async () => {
    newAccount(harbour, "youtube");
    const { token } = await externalUser(harbour.server);
    harbour.youtube.changeNext("token", { refresh_token: null });
    const { id } = await connectAs(harbour, "youtube", token);
    const user = { userId: "", token, id, path: `/v1/integrations/${id}` };
    expect(integrationRow(harbour, id)?.refresh_token).toBeNull();
    expectRefused(await refresh(harbour, user), 409, "Conflict");
    expect(await isActive(harbour, user)).toBe(true);
    expect((await statsOf(harbour, user)).status).toBe(200);
    harbour.youtube.expireAccess();
    expectRefused(await statsOf(harbour, user), 409, "Conflict");
    expect(await isActive(harbour, user)).toBe(false);
    // Nothing is left to revoke, so the answer doesn't mention it.
    expect(await remove(user)).toBe("The integration was removed");
  });
});

test("an integration whose tokens can't be decrypted any more is removed all the same", async () => {
  const user = await connected(harbour, "twitch");
  write(
    harbour.server,
    `UPDATE integrations SET access_token = 'AAAA', refresh_token = 'AAAA' WHERE id = '${user.id}'`,
  );
  expect(await remove(user)).toContain("could not be told");
  expect(integrationRow(harbour, user.id)).toMatchObject({ access_token: null, refresh_token: null });
});

test.each(["state", "code"])("a call-back with two of %s is refused, and uses nothing up", async (name) => {
  newAccount(harbour, "twitch");
  const user = await externalUser(harbour.server);
  const address = await consented(harbour, "twitch", user.token);
  expectRefused(await callBack(harbour, `${address}&${name}=x`), 400, "BadRequest");
  expect(outcome(await callBack(harbour, address)).status).toBe("connected");
});
