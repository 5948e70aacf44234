import type { Answer } from "../../support/api";
import { expectKept, expectRefused } from "../../support/expectations";
import { mailsTo, newestMail } from "../../support/mail";
import type { Person, User } from "../../support/people";
import { rows } from "../../support/rows";
import type { TestServer } from "../../support/server";

export const verifyEmail = (server: TestServer, token: unknown) =>
  server.post("/v1/auth/verify-email", { body: { token } });

export const askReset = (server: TestServer, email: unknown, headers: Record<string, string> = {}) =>
  server.post("/v1/auth/reset-password", { body: { email }, headers });

/** The token of a user's password reset, as soon as the email is there: it may come after the answer. */
export async function resetToken(server: TestServer, { email }: Pick<Person, "email">): Promise<string> {
  const before = (await mailsTo(server, email)).length;
  const answered = askReset(server, email);
  const sent = async (): Promise<string> => {
    for (;;) {
      const mail = (await mailsTo(server, email))[before];
      if (mail) return mail.token;
      await Bun.sleep(5);
    }
  };
  const noMail = answered.then(({ status }) => {
    if (status !== 200) throw new Error(`reset-password answered ${status}`);
    return newestMail(server, email).then(({ token }) => token);
  });
  return Promise.race([sent(), noMail]);
}

export const completeReset = (server: TestServer, token: unknown, new_password: unknown) =>
  server.post("/v1/auth/reset-password/complete", { body: { token, new_password } });

export const changePassword = (
  server: TestServer,
  token: string,
  current_password: unknown,
  new_password: unknown,
) => server.post("/v1/users/me/password", { token, body: { current_password, new_password } });

/** Requests another address; returns the token of the email that goes there. */
export async function requestEmailChange(server: TestServer, user: User, email: string): Promise<string> {
  const answer = await server.post(`/v1/users/${user.id}/email/request-change`, {
    token: user.token,
    body: { email },
  });
  if (answer.status !== 200) throw new Error(`request-change answered ${answer.status}`);
  return (await newestMail(server, email)).token;
}

/** Passwords at the bounds of 8 and 128 characters, which are counted by code point. */
export const PASSWORDS: [fits: boolean, what: string, password: string][] = [
  [false, "7 letters", "1234567"],
  [true, "8 letters", "12345678"],
  [true, "128 letters", "x".repeat(128)],
  [false, "129 letters", "x".repeat(129)],
  [false, "7 emoji of 14 code units", "🌊".repeat(7)],
  [true, "8 emoji", "🌊".repeat(8)],
  [true, "128 emoji of 256 code units", "🌊".repeat(128)],
  [false, "129 emoji", "🌊".repeat(129)],
];

// --- Stored state -----------------------------------------------------------------------------------------

const STATE = {
  verifications: "*",
  users: "*",
  platform_accounts: "*",
  passwords: "*",
  password_resets: "*",
  sessions: "id, user_id",
  outbox: "id, kind",
};

/**
 * Everything that registering, signing in and setting passwords may change: a refusal leaves it as it was.
 */
export const registrationState = (server: TestServer) =>
  Object.entries(STATE).map(([table, columns]) =>
    rows(server, `SELECT '${table}', ${columns} FROM ${table} ORDER BY 2`),
  );

/** Expects a refusal that leaves all that as it was; returns the answer. */
export const expectNoEffect = (
  server: TestServer,
  ask: () => Promise<Answer>,
  status = 400,
  error = "BadRequest",
): Promise<Answer> =>
  expectKept(
    () => registrationState(server),
    async () => {
      const answer = await ask();
      expectRefused(answer, status, error);
      return answer;
    },
  );
