import { createHmac } from "node:crypto";
import { inflateSync } from "node:zlib";
import type { Answer, Token } from "../../support/api";
import { signIn } from "../../support/credentials";
import { done } from "../../support/expectations";
import { newUser, type User } from "../../support/people";
import { rows } from "../../support/rows";
import type { TestServer } from "../../support/server";

/** Shared by the tests of two-factor authentication: an authenticator app of their own, and the requests. */

// --- The app ----------------------------------------------------------------------------------------------

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648, section 6, without padding. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of one time step: RFC 4226, section 5.3, written out, so that nothing is shared with the server. */
export function codeOfStep(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const value = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(value % 10 ** digits).padStart(digits, "0");
}

const STEP = 30_000;

/** Moves the server's clock to the start of a time step, so that none begins while a test counts them. */
export async function toStepStart(server: TestServer): Promise<void> {
  await server.advance(STEP - (server.time % STEP) + 500);
}

/** The code of the time step that is `steps` steps from now. */
export const codeIn = (server: TestServer, secret: string, steps: number): string =>
  codeOfStep(fromBase32(secret), Math.floor(server.time / STEP) + steps);

/**
 * A code that the server accepts at none of the steps around now, nor at those that a slow test may reach.
 */
export function wrongCode(server: TestServer, secret: string): string {
  const near = [-3, -2, -1, 0, 1, 2, 3].map((steps) => codeIn(server, secret, steps));
  for (let code = 0; ; code++) {
    const candidate = String(code).padStart(6, "0");
    if (!near.includes(candidate)) return candidate;
  }
}

/** The last step for which each app gave out a code. */
const lastSteps = new Map<string, number>();

/**
 * The app's next unused code: this step's, or the next one's, which is accepted as well. The clock moves on
 * when both were used.
 */
export async function nextCode(server: TestServer, secret: string): Promise<string> {
  const now = Math.floor(server.time / STEP);
  const step = Math.max(now, (lastSteps.get(secret) ?? 0) + 1);
  if (step > now + 1) await server.advance((step - now - 1) * STEP);
  lastSteps.set(secret, step);
  return codeOfStep(fromBase32(secret), step);
}

// --- Requests ---------------------------------------------------------------------------------------------

const base = "/v1/users/me/2fa";

export const status = (server: TestServer, token: Token, query = "") =>
  server.get(`${base}/status${query}`, { token });

export const requirement = (server: TestServer, token: Token, query = "") =>
  server.get(`${base}/requirement${query}`, { token });

export const setUp = (server: TestServer, token: Token, body?: object) =>
  server.post(`${base}/setup`, { token, body });

export const enable = (server: TestServer, token: Token, body?: unknown) =>
  server.post(`${base}/verify`, { token, body });

export const disable = (server: TestServer, token: Token, body?: unknown) =>
  server.delete(base, { token, body });

export const regenerate = (server: TestServer, token: Token, body?: unknown) =>
  server.post(`${base}/backup-codes/regenerate`, { token, body });

export const check = (server: TestServer, body: unknown, token: Token = server.systemKey) =>
  server.post("/v1/auth/2fa/check", { token, body });

export const verifyLogin = (
  server: TestServer,
  temp_token: unknown,
  code: unknown,
  headers: Record<string, string> = {},
) => server.post("/v1/auth/2fa/verify", { body: { temp_token, code }, headers });

export interface Guarded extends User {
  secret: string;
  backupCodes: string[];
}

/** Turns two-factor authentication on for a user, which uses one code of the app. */
export async function turnOn<Holder extends { token: Token }>(server: TestServer, user: Holder) {
  const { secret } = done(await setUp(server, user.token));
  const code = await nextCode(server, secret);
  const { backup_codes } = done(await enable(server, user.token, { code }));
  return { ...user, secret: secret as string, backupCodes: backup_codes as string[] };
}

/** A new user with two-factor authentication on, who holds the role User and those that are named. */
export async function guarded(server: TestServer, ...roles: string[]): Promise<Guarded> {
  return turnOn(server, await newUser(server, ...roles));
}

/** Passes the first step of a sign-in and returns the token for the second. */
export async function challenge(server: TestServer, user: User): Promise<Token> {
  const body = done(await signIn(server, user));
  if (!body.requires_2fa) throw new Error("the sign-in needed no second step");
  return body.temp_token;
}

/** Signs in with both steps, with a code of the app or the given one. */
export async function signInWithBoth(server: TestServer, user: Guarded, code?: string): Promise<Answer> {
  const token = await challenge(server, user);
  return verifyLogin(server, token, code ?? (await nextCode(server, user.secret)));
}

// --- Stored state -----------------------------------------------------------------------------------------

/**
 * Everything that an operation on a user's second factor may change; the count of wrong codes is apart from
 * it.
 */
export const stored = (server: TestServer, userId: string) => ({
  app: rows(
    server,
    "SELECT secret, platform, enabled_at, setup_expires_at, last_step FROM two_factor WHERE user_id = ?",
    userId,
  ),
  codes: rows(server, "SELECT code_hash FROM backup_codes WHERE user_id = ? ORDER BY 1", userId),
  challenges: rows(server, "SELECT id FROM two_factor_challenges WHERE user_id = ? ORDER BY 1", userId),
  sessions: rows(server, "SELECT id FROM sessions WHERE user_id = ? ORDER BY 1", userId),
  emails: rows(server, "SELECT id, kind FROM outbox WHERE lane = 'email' AND user_id = ? ORDER BY 1", userId),
});

// --- Pictures ---------------------------------------------------------------------------------------------

/** Bytes of a pixel by the colour type of PNG; a palette isn't read here. */
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** The pixels of a PNG data URI, row by row, true where they are dark (W3C PNG, 8 bits, not interlaced). */
export function pixelsOf(dataUri: string): boolean[][] {
  const [head, base64 = ""] = dataUri.split(",", 2);
  const file = Buffer.from(base64, "base64");
  if (head !== "data:image/png;base64" || file.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n")
    throw new Error("this is no PNG");
  const data: Buffer[] = [];
  let header = Buffer.alloc(0);
  for (let at = 8; at < file.length; ) {
    const [length, type] = [file.readUInt32BE(at), file.toString("latin1", at + 4, at + 8)];
    const content = file.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") header = Buffer.from(content);
    if (type === "IDAT") data.push(content);
    at += length + 12;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = CHANNELS[header.readUInt8(9)];
  if (header.readUInt8(8) !== 8 || !channels || header.readUInt8(12) !== 0)
    throw new Error("this isn't read here");
  const bytes = unfilter(inflateSync(Buffer.concat(data)), width * channels, height, channels);
  return bytes.map((line) => Array.from({ length: width }, (_, x) => line.readUInt8(x * channels) < 128));
}

/** Undoes the filters of the lines (W3C PNG, section 9). */
function unfilter(raw: Buffer, lineLength: number, height: number, channels: number): Buffer[] {
  let above: Buffer = Buffer.alloc(lineLength);
  return Array.from({ length: height }, (_, y) => {
    const start = y * (lineLength + 1);
    const filter = raw.readUInt8(start);
    const line = Buffer.from(raw.subarray(start + 1, start + 1 + lineLength));
    for (let x = 0; x < lineLength; x++) {
      const left = x < channels ? 0 : line.readUInt8(x - channels);
      const up = above.readUInt8(x);
      const corner = x < channels ? 0 : above.readUInt8(x - channels);
      const add = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      line.writeUInt8((line.readUInt8(x) + add) & 0xff, x);
    }
    above = line;
    return line;
  });
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const near = [left, up, corner].map((value) => Math.abs(estimate - value));
  return [left, up, corner][near.indexOf(Math.min(...near))] ?? 0;
}
