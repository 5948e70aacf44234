import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/api";
import { login } from "../../support/credentials";
import { statuses } from "../../support/expectations";
import { mailsTo, newestMail } from "../../support/mail";
import { newPerson, type Person, pending, register, verifyRegistration } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";
import { verifyEmail } from "./support";

/**
 * An unconfirmed registration holds its address and name for ten minutes, and the first one to be confirmed
 * wins.
 */
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "server.trusted_proxies": "127.0.0.1" },
  });
});
afterAll(() => server.stop());

const conflict = ({ status, body }: Answer) => expect([status, body.error]).toEqual([409, "Conflict"]);

/**
 * Two people who registered one address under different names, the second after ten minutes, and their
 * tokens.
 */
async function rivals(): Promise<[[Person, string], [Person, string]]> {
  const first = newPerson();
  const second = { ...newPerson(), email: first.email };
  const one = await pending(server, first);
  await server.advance(10 * MINUTE);
  return [
    [first, one],
    [second, await pending(server, second)],
  ];
}

const waiting = ({ email }: Person) =>
  rows(server, "SELECT id FROM verifications WHERE kind = 'registration' AND email = ?", email).length;

describe("a registration that nobody confirmed", () => {
  test("holds its address and its name for ten minutes, and no longer", async () => {
    const person = newPerson();
    await pending(server, person);
    const same = { ...newPerson(), email: person.email };
    const namesake = { ...newPerson(), username: person.username };
    await server.advance(9.9 * MINUTE);
    for (const other of [same, namesake, person]) conflict(await register(server, other));
    expect(waiting(person)).toBe(1);
    await server.advance(0.1 * MINUTE);
    expect((await register(server, same)).status).toBe(200);
    expect((await register(server, namesake)).status).toBe(200);
    // The new registration holds both in its turn.
    conflict(await register(server, { ...newPerson(), email: person.email }));
    conflict(await register(server, { ...newPerson(), username: person.username }));
  });

  test("can be confirmed until its day is over, whoever came after it", async () => {
    const [[first, one], [second, other]] = await rivals();
    await server.advance(23 * HOUR);
    expect((await verifyRegistration(server, one)).body.username).toBe(first.username);
    conflict(await verifyRegistration(server, other));
    conflict(await verifyEmail(server, other));
    expect((await login(server, second.username, second.password)).status).toBe(401);
    expect((await login(server, first.email, first.password)).status).toBe(200);
    // Confirmed, the address is taken for good.
    conflict(await register(server, { ...newPerson(), email: first.email }));
  });

  test("has lost once a later one was confirmed", async () => {
    const [[first, one], [second, other]] = await rivals();
    expect((await verifyRegistration(server, other)).body.username).toBe(second.username);
    conflict(await verifyRegistration(server, one));
    expect((await login(server, first.username, first.password)).status).toBe(401);
    expect((await login(server, second.email, second.password)).status).toBe(200);
  });

  test("of several that are confirmed at once, one wins", async () => {
    const [[first, one], [second, other]] = await rivals();
    const answers = await Promise.all(
      [one, other, one, other].map((token) => verifyRegistration(server, token)),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    expect(statuses(answers).filter((status) => ![201, 400, 409].includes(status))).toEqual([]);
    const ids = rows(server, "SELECT id FROM platform_accounts WHERE email = ?", first.email);
    expect(ids).toHaveLength(1);
    expect([first.username, second.username]).toContain(won[0]?.body.username);
  });

  test("at once, only one registers", async () => {
    const person = newPerson();
    const asks = Array.from({ length: 5 }, () => register(server, { ...newPerson(), email: person.email }));
    expect(statuses(await Promise.all(asks))).toEqual([200, 409, 409, 409, 409]);
    expect(waiting(person)).toBe(1);
  });
});

test("one address has four registrations at most that wait; then it gets an email an hour, and is never locked", async () => {
  const { email } = newPerson();
  const again = () => register(server, { ...newPerson(), email });
  const oldest = await pending(server, { ...newPerson(), email });
  for (let times = 0; times < 3; times++) {
    await server.advance(10 * MINUTE);
    expect((await again()).status).toBe(200);
  }
  await server.advance(10 * MINUTE);
  conflict(await again());
  await server.advance(50 * MINUTE);
  const owner = { ...newPerson(), email };
  const token = await pending(server, owner);
  expect(waiting(owner)).toBe(4);
  expect((await verifyRegistration(server, oldest)).status).toBe(400);
  expect((await verifyRegistration(server, token)).body.username).toBe(owner.username);
});

describe("a stranger who registers again and again", () => {
  /** Addresses that no test used before (RFC 2544). */
  let used = 0;
  const newAddress = () => `198.18.${++used >> 8}.${used & 255}`;
  const from = (address: string, person: Person) => register(server, person, { "x-forwarded-for": address });

  test("keeps nobody else from an address for more than ten minutes, and pushes nobody out", async () => {
    const [stranger, home] = [newAddress(), newAddress()];
    const owner = newPerson();
    const again = () => from(stranger, { ...newPerson(), email: owner.email });
    expect((await again()).status).toBe(200);
    await server.advance(9.9 * MINUTE);
    conflict(await from(home, owner));
    await server.advance(0.1 * MINUTE);
    expect((await again()).status).toBe(200);
    expect((await from(home, owner)).status).toBe(200);
    const { token } = await newestMail(server, owner.email);
    // Both hold against themselves.
    conflict(await again());
    conflict(await from(home, owner));
    const answers = [];
    for (let at = 10; at <= 4 * 60; at += 10) {
      await server.advance(10 * MINUTE);
      answers.push((await again()).status);
    }
    expect(answers.filter((status) => status === 200)).toHaveLength(5);
    expect((await verifyRegistration(server, token)).body.username).toBe(owner.username);
  });

  test("keeps nobody else from a name either", async () => {
    const [stranger, home] = [newAddress(), newAddress()];
    const { username, ...owner } = newPerson();
    const again = () => from(stranger, { ...newPerson(), username });
    expect((await again()).status).toBe(200);
    conflict(await from(home, { ...owner, username }));
    await server.advance(10 * MINUTE);
    expect((await again()).status).toBe(200);
    conflict(await again());
    expect((await from(home, { ...owner, username })).status).toBe(200);
  });

  test("of two networks of IPv6 is two, and of one is one", async () => {
    const { email } = newPerson();
    const again = (address: string) => from(address, { ...newPerson(), email });
    expect((await again("2001:db8:1:1::1")).status).toBe(200);
    await server.advance(10 * MINUTE);
    expect((await again("2001:db8:1:1::2")).status).toBe(200);
    conflict(await again("2001:db8:1:1::3"));
    expect((await again("2001:db8:1:2::1")).status).toBe(200);
  });

  test("from many addresses sends a mailbox sixteen emails an hour, and known ones leave room for new ones", async () => {
    const { email } = newPerson();
    const again = (address: string) => from(address, { ...newPerson(), email });
    const addresses = Array.from({ length: 8 }, newAddress);
    const [first = ""] = addresses;
    expect((await again(first)).status).toBe(200);
    await server.advance(10 * MINUTE);
    for (const address of addresses.slice(1)) expect((await again(address)).status).toBe(200);
    await server.advance(10 * MINUTE);
    for (const address of addresses) conflict(await again(address));
    for (let mails = 9; mails <= 16; mails++) expect((await again(newAddress())).status).toBe(200);
    conflict(await again(newAddress()));
    expect(await mailsTo(server, email)).toHaveLength(16);
    await server.advance(50 * MINUTE);
    expect((await again(newAddress())).status).toBe(200);
  });

  test("from all networks that one customer may have (/48) leaves others the same room", async () => {
    const { email } = newPerson();
    const again = (address: string) => from(address, { ...newPerson(), email });
    expect((await again("2001:db8:7::1")).status).toBe(200);
    await server.advance(10 * MINUTE);
    for (let mails = 2; mails <= 8; mails++) expect((await again(`2001:db8:7:${mails}::1`)).status).toBe(200);
    await server.advance(10 * MINUTE);
    for (let tries = 9; tries <= 16; tries++) conflict(await again(`2001:db8:7:${tries}::1`));
    expect((await again("2001:db8:8::1")).status).toBe(200);
    expect((await again(newAddress())).status).toBe(200);
  });

  test("is remembered by a keyed hash", async () => {
    const address = newAddress();
    const person = newPerson();
    expect((await from(address, person)).status).toBe(200);
    const stored = rows(server, "SELECT * FROM verifications WHERE email = ?", person.email);
    expect(JSON.stringify(stored)).not.toContain(address);
    expect(stored).toMatchObject([{ block_hash: expect.stringMatching(/^[\w+/=-]{40,}:[\w+/=-]{40,}$/) }]);
  });
});
