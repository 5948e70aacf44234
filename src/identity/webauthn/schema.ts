import { characters, nullable, out, record, t } from "../../kernel/http/schema";

/** Credentials in the JSON of browsers, `PublicKeyCredential.toJSON()`: WebAuthn Level 3, sections 5.1.6 and 5.1.8. */

/** Bytes in base64url without padding. */
const bytes = (maxLength: number, description: string, example: string) =>
  t.String({
    pattern: "^[A-Za-z0-9_-]+$",
    minLength: 1,
    maxLength,
    "x-expected": `must be base64url without padding, of at most ${maxLength} characters`,
    description,
    examples: [example],
  });

/** 1,023 bytes (section 4, Credential ID). */
const credentialId = bytes(1_364, "Identifier of the credential", "dGhlIGlkZW50aWZpZXIgb2YgYSBjcmVkZW50aWFs");
const type = t.Literal("public-key", { description: "Kind of credential", examples: ["public-key"] });
const clientDataJSON = bytes(
  8_192,
  "What the browser was asked for, as JSON",
  "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
);

/** An answer to `navigator.credentials.create()`. */
export const NewCredential = t.Object(
  {
    id: credentialId,
    type,
    response: t.Object(
      {
        clientDataJSON,
        attestationObject: bytes(
          65_536,
          "Authenticator data and attestation, as CBOR",
          "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVgA",
        ),
        transports: t.Optional(
          t.Array(characters({ maxLength: 32 }), {
            maxItems: 16,
            description: "Ways to reach the authenticator",
            examples: [["internal", "hybrid"]],
          }),
        ),
      },
      { description: "The authenticator's answer" },
    ),
  },
  { title: "NewCredential", description: "What `navigator.credentials.create()` gave, by its `toJSON()`" },
);
export type NewCredential = (typeof NewCredential)["static"];

/** An answer to `navigator.credentials.get()`. */
export const Assertion = t.Object(
  {
    id: credentialId,
    type,
    response: t.Object(
      {
        clientDataJSON,
        authenticatorData: bytes(
          16_384,
          "Authenticator data",
          "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
        ),
        signature: bytes(4_096, "Signature over both", "MEUCIQDx5cRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQIg"),
        userHandle: t.Optional(
          nullable(bytes(128, "Identifier of the account in the authenticator", "bhl5ZkqSzqTq2w")),
        ),
      },
      { description: "The authenticator's answer" },
    ),
  },
  { title: "Assertion", description: "What `navigator.credentials.get()` gave, by its `toJSON()`" },
);
export type Assertion = (typeof Assertion)["static"];

const descriptor = t.Object(
  {
    type: out.string("Kind of credential", "public-key"),
    id: out.string("Identifier of the credential, in base64url", "dGhlIGlkZW50aWZpZXI"),
    transports: t.Array(t.String(), {
      description: "Ways to reach the authenticator",
      examples: [["internal"]],
    }),
  },
  { description: "A passkey" },
);

const challenge = out.string("The challenge, in base64url", "kZ3vDq0mB4tVhJ2sNcR5dXgUeA7iOwE3q2");
const timeout = out.integer("Milliseconds in which it must be answered", 300_000);
const userVerification = out.string("`required`: by fingerprint, face or PIN", "required");

export const RequestOptions = record(
  "PasskeyRequestOptions",
  {
    public_key: t.Object(
      {
        challenge,
        timeout,
        rpId: out.string("Host that passkeys are bound to", "boat.example.org"),
        allowCredentials: t.Array(descriptor, {
          description: "The user's passkeys; empty where any user may answer",
        }),
        userVerification,
      },
      { description: "For `PublicKeyCredential.parseRequestOptionsFromJSON()`" },
    ),
    expires_at: out.time("When the challenge ends"),
  },
  "What a browser needs to ask for a passkey; the challenge counts once",
);
export type RequestOptions = (typeof RequestOptions)["static"];

export const CreationOptions = record(
  "PasskeyCreationOptions",
  {
    public_key: t.Object(
      {
        rp: t.Object(
          {
            id: out.string("Host that passkeys are bound to", "boat.example.org"),
            name: out.string("Name", "Fairlead"),
          },
          { description: "This installation" },
        ),
        user: t.Object(
          {
            id: out.string("Identifier of the account in the authenticator, in base64url", "bhl5ZkqSzqTq2w"),
            name: out.string("Username", "skipper"),
            displayName: out.string("The same", "skipper"),
          },
          { description: "The user" },
        ),
        challenge,
        pubKeyCredParams: t.Array(
          t.Object({
            type: out.string("Kind of credential", "public-key"),
            alg: out.integer("Algorithm, by its number in COSE", -7),
          }),
          { description: "Algorithms that are taken, best first" },
        ),
        timeout,
        excludeCredentials: t.Array(descriptor, { description: "The passkeys that the user has" }),
        authenticatorSelection: t.Object(
          {
            residentKey: out.string("`required`: it is found without a username", "required"),
            requireResidentKey: out.boolean("The same, for older browsers"),
            userVerification,
          },
          { description: "What the authenticator must be able to do" },
        ),
        attestation: out.string("`none`: its make isn't asked for", "none"),
      },
      { description: "For `PublicKeyCredential.parseCreationOptionsFromJSON()`" },
    ),
    expires_at: out.time("When the challenge ends"),
  },
  "What a browser needs to make a passkey; the challenge counts once",
);
export type CreationOptions = (typeof CreationOptions)["static"];
