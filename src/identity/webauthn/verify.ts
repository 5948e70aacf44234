import { lazy } from "../../kernel/values/lazy";
import type { RelyingParty } from "./relying-party";
import type { Assertion, NewCredential } from "./schema";

/**
 * Checks of what authenticators sign (WebAuthn Level 3, sections 7.1 and 7.2), but for the challenge: whether that is one
 * of ours, and was used before, the transaction decides that acts on the answer.
 */

/** Loaded at the first passkey: most starts need none of it. */
const library = lazy(async () => {
  const loaded = await import("@simplewebauthn/server");
  // Without a root to trust, no chain is followed, and nobody is asked what was revoked.
  loaded.SettingsService.setRootCertificates({ identifier: "apple", certificates: [] });
  return loaded;
});
const helpers = lazy(() => import("@simplewebauthn/server/helpers"));

/** EdDSA, ES256 and RS256, by their numbers in COSE (RFC 9053; RFC 8812). */
export const ALGORITHMS = [-8, -7, -257];

/**
 * Attestations that can be read without a look elsewhere. None is asked for, and none is trusted: a browser sends `none`, or
 * what the key has signed itself. Those of Android bring certificates that name addresses to ask for revocations,
 * which a stranger would choose.
 */
const READABLE_ATTESTATIONS = new Set(["none", "packed", "fido-u2f", "apple", "tpm"]);

/** Words for what was wrong, without anything that the client sent. */
export class Unacceptable extends Error {}

const REASONS: readonly [RegExp, string][] = [
  [/response type/, "it answers another question"],
  [/origin/i, "it was made for another origin"],
  [/RP ID/, "it was made for another host"],
  [/verif(?:ied|ication was required)|could not be verified/, "the user was not verified"],
  [/user was not present|not present/i, "the user was not present"],
  [/public key alg/, "its algorithm is not supported"],
];

/** Throws `Unacceptable`, in words of our own, for whatever the library throws: any input may come here. */
async function checking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unacceptable) throw error;
    const { message } = error as Error;
    throw new Unacceptable(REASONS.find(([form]) => form.test(message))?.[1] ?? "it cannot be read");
  }
}

/** The challenge that a credential answers; null where it names none. */
export function challengeIn({ response }: Assertion | NewCredential): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString());
    return typeof challenge === "string" ? challenge : null;
  } catch {
    // Whatever is no JSON names no challenge.
    return null;
  }
}

/** The public part of a new passkey. */
export interface Registered {
  credentialId: string;
  /** COSE key, in base64url. */
  publicKey: string;
  counter: number;
  aaguid: string;
  isMultiDevice: boolean;
  isBackedUp: boolean;
}

/** Checks a new credential. Throws `Unacceptable`. */
export const verifyNewCredential = (
  credential: NewCredential,
  { id, origins }: RelyingParty,
): Promise<Registered> =>
  checking(async () => {
    const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
      library(),
      helpers(),
    ]);
    const { attestationObject, clientDataJSON } = credential.response;
    const format = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, "base64url"))).get(
      "fmt",
    );
    if (!READABLE_ATTESTATIONS.has(format)) throw new Unacceptable("its attestation is not supported");
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id: credential.id, rawId: credential.id, type: credential.type, clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challengeIn(credential) ?? "",
      expectedOrigin: origins,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Unacceptable("its attestation is wrong");
    const { credential: made, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo;
    if (made.id !== credential.id) throw new Unacceptable("it cannot be read");
    return {
      credentialId: made.id,
      publicKey: Buffer.from(made.publicKey).toString("base64url"),
      counter: made.counter,
      aaguid,
      isMultiDevice: credentialDeviceType === "multiDevice",
      isBackedUp: credentialBackedUp,
    };
  });

/** The state of a passkey as its authenticator told it beside a signature. */
export interface Signed {
  counter: number;
  isBackedUp: boolean;
}

/** Checks the signature of a passkey, whose user must have been verified. Throws `Unacceptable`. */
export const verifyAssertion = (
  { id, type, response }: Assertion,
  publicKey: string,
  party: RelyingParty,
): Promise<Signed> =>
  checking(async () => {
    const { verifyAuthenticationResponse } = await library();
    const { userHandle: _, ...signed } = response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type, clientExtensionResults: {}, response: signed },
      expectedChallenge: challengeIn({ id, type, response }) ?? "",
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      // The transaction compares the counters: that of now may be another one.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter: 0 },
      requireUserVerification: true,
    });
    if (!verified) throw new Unacceptable("its signature is wrong");
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
  });
