import { change, name, nullable, out, record, t } from "../../kernel/http/schema";
import { ChallengeInput } from "../two-factor/schema";
import { Assertion, NewCredential } from "../webauthn/schema";

export const PasskeySignIn = t.Object({ credential: Assertion }, { title: "PasskeySignIn" });

const { temp_token } = ChallengeInput.properties;

export const PasskeyChallenge = t.Object({ temp_token }, { title: "PasskeyChallenge" });

export const PasskeySecondFactor = t.Object(
  { temp_token, credential: Assertion },
  { title: "PasskeySecondFactor" },
);
export type PasskeySecondFactor = (typeof PasskeySecondFactor)["static"];

const passkeyName = name("Name, for its user alone", "Phone");

export const NewPasskey = t.Object(
  { credential: NewCredential, name: t.Optional(passkeyName) },
  { title: "NewPasskey", description: "A new passkey, and its name" },
);
export type NewPasskey = (typeof NewPasskey)["static"];

export const PasskeyChange = change("PasskeyChange", { name: t.Optional(passkeyName) }, [{ name: "Phone" }]);
export type PasskeyChange = (typeof PasskeyChange)["static"];

export const Passkey = record(
  "Passkey",
  {
    id: out.uuid("Identifier"),
    name: out.string("Name", "Phone"),
    created_at: out.time("When it was added"),
    last_used_at: nullable(out.time("When it was last used; null if it never was")),
    transports: t.Array(t.String(), {
      description: "Ways to reach the authenticator",
      examples: [["internal", "hybrid"]],
    }),
    is_backed_up: out.boolean("Whether there is a copy of it, on another device or with a provider"),
    aaguid: out.string(
      "Model of the authenticator; zeros where it doesn't tell",
      "fbfc3007-154e-4ecc-8c0b-6e020557d7bd",
    ),
    authenticator: nullable(out.string("Name of that model; null where it isn't known", "Apple Passwords")),
  },
  "A passkey of a user, without its key",
);
export type Passkey = (typeof Passkey)["static"];
