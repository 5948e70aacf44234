import { Secret, TOTP } from "otpauth";

/** Time-based one-time passwords (RFC 6238) as authenticator apps take them: SHA-1, 6 digits, 30 seconds. */
const DIGITS = 6;
const STEP_SECONDS = 30;
/** Steps of drift that are accepted either way. */
const DRIFT = 1;
/** 160 bits, the length that RFC 4226, section 4 recommends. */
const SECRET_BYTES = 20;

const generator = (secret: string, issuer = "", label = "") =>
  new TOTP({
    issuer,
    label,
    algorithm: "SHA1",
    digits: DIGITS,
    period: STEP_SECONDS,
    secret: Secret.fromBase32(secret),
  });

/** A fresh secret in base32, for manual entry. */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The `otpauth://` address that an authenticator app reads from a QR code. */
export const otpauthUrl = (secret: string, issuer: string, username: string): string =>
  generator(secret, issuer, username).toString();

/** The time step of a moment in epoch milliseconds. */
export const stepAt = (time: number): number => Math.floor(time / 1_000 / STEP_SECONDS);

/**
 * The time step of a code that is right at `time` (epoch milliseconds) give or take one step; null for a
 * wrong one. A code counts once (rule C3): the caller refuses a step that isn't above the last one accepted.
 */
export function matchStep(secret: string, code: string, time: number): number | null {
  const delta = generator(secret).validate({ token: code, timestamp: time, window: DRIFT });
  return delta === null ? null : stepAt(time) + delta;
}
