import { afterAll, afterEach, describe, expect, setSystemTime, spyOn, test } from "bun:test";
import type { NewCredential } from "../../../src/identity/webauthn/schema";
import { challengeIn, Unacceptable, verifyNewCredential } from "../../../src/identity/webauthn/verify";
import recorded from "./recorded.json";

/** Answers of real authenticators: ORIGIN.md says where they come from. */

const fetched = spyOn(globalThis, "fetch");
// Some of their certificates will have ended one day.
setSystemTime(new Date("2026-11-01T00:00:00Z"));
afterAll(() => {
  setSystemTime();
});
afterEach(() => {
  expect(fetched).not.toHaveBeenCalled();
});

const answers = recorded.map(({ credential, ...rest }) => ({
  ...rest,
  credential: credential as NewCredential,
}));
const [accepted, refused] = [
  answers.filter(({ refusedSince }) => refusedSince === null),
  answers.filter(({ refusedSince }) => refusedSince !== null),
];

/** The reason for which a credential is refused; null for none. */
async function refusal(credential: NewCredential, id: string, origins: string[]): Promise<string | null> {
  try {
    await verifyNewCredential(credential, { id, origins });
    return null;
  } catch (error) {
    if (error instanceof Unacceptable) return error.message;
    throw error;
  }
}

/** Turns one bit of the signed data over: of the attestation's last bytes, which are the key's or the data's. */
function changed({ response, ...rest }: NewCredential): NewCredential {
  const bytes = Buffer.from(response.attestationObject, "base64url");
  bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
  return { ...rest, response: { ...response, attestationObject: bytes.toString("base64url") } };
}

describe("recorded answers", () => {
  test("are of all forms that are read, and of some that aren't", () => {
    expect([...new Set(accepted.map(({ format }) => format))].sort()).toEqual([
      ...["apple", "none", "packed", "tpm"],
    ]);
    expect([...new Set(refused.map(({ format }) => format))].sort()).toEqual([
      ...["android-key", "fido-u2f", "tpm"],
    ]);
  });

  test.each(accepted.map((one) => [one.format, one.origin, one] as const))(
    "of the form %s, made at %s, are read, and at no other origin or host",
    async (_, origin, { credential, host }) => {
      const read = await verifyNewCredential(credential, { id: host, origins: [origin] });
      expect(read.credentialId).toBe(credential.id);
      expect(Buffer.from(read.publicKey, "base64url").length).toBeGreaterThan(60);
      expect(read.aaguid).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(challengeIn(credential)).toMatch(/^[\w-]+$/);
      expect(await refusal(credential, host, ["https://evil.example"])).toBe(
        "it was made for another origin",
      );
      expect(await refusal(credential, "evil.example", [origin])).toBe("it was made for another host");
    },
  );

  test.each(refused.map((one) => [one.format, one.refusedSince, one] as const))(
    "of the form %s are refused where %s",
    async (_, why, { credential, host, origin }) => {
      expect(await refusal(credential, host, [origin])).toBe(why);
    },
  );

  test.each(accepted.filter(({ format }) => format !== "none").map((one) => [one.format, one] as const))(
    "of the form %s are refused once a bit is another one",
    async (_, { credential, host, origin }) => {
      expect(await refusal(changed(credential), host, [origin])).not.toBeNull();
    },
  );
});
