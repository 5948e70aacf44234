import { AuthResponse, LoginInput } from "../identity/auth/schema";
import { PasskeySecondFactor, PasskeySignIn } from "../identity/passkeys/schema";
import { ChallengeInput } from "../identity/two-factor/schema";
import { characters, out, record, t } from "../kernel/http/schema";

const stay_signed_in = t.Optional(
  t.Boolean({
    description: "Whether the cookie outlives the browser; otherwise it goes as the browser is closed",
    examples: [false],
  }),
);

export const PageLogin = t.Object({ ...LoginInput.properties, stay_signed_in }, { title: "PageLogin" });
export type PageLogin = (typeof PageLogin)["static"];

export const PageChallenge = t.Object(
  { ...ChallengeInput.properties, stay_signed_in },
  { title: "PageChallenge" },
);
export type PageChallenge = (typeof PageChallenge)["static"];

export const PagePasskey = t.Object(
  { ...PasskeySignIn.properties, stay_signed_in },
  { title: "PagePasskey" },
);
export type PagePasskey = (typeof PagePasskey)["static"];

export const PagePasskeyChallenge = t.Object(
  { ...PasskeySecondFactor.properties, stay_signed_in },
  { title: "PagePasskeyChallenge" },
);
export type PagePasskeyChallenge = (typeof PagePasskeyChallenge)["static"];

const { session_token: _token, ...shown } = AuthResponse.properties;

export const PageSession = t.Object(shown, {
  title: "PageSession",
  description: "Who signed in, or the 2FA challenge. The session's token goes into the cookie alone",
  "x-headers": ["Set-Cookie"],
});
export type PageSession = (typeof PageSession)["static"];

export const NewDownload = t.Object(
  {
    path: characters({
      minLength: 4,
      maxLength: 2_000,
      description: "The address of what is to be downloaded, with its query: one that GET answers",
      examples: ["/v1/devices/0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01/track?format=gpx"],
    }),
  },
  { title: "NewDownload" },
);

export const Download = record(
  "Download",
  {
    url: out.string("Address to open, relative to the page: good once", "bridge/downloads/…"),
    expires_at: out.time("When it ends: a minute from now"),
  },
  "An address that a browser can open without a header",
);
export type Download = (typeof Download)["static"];

export const PageState = t.Object(
  {
    is_open: t.Boolean({
      description: "True if the cookie of the page holds a session that still counts",
      examples: [true],
    }),
    passkey_origins: t.Array(t.String(), {
      description: "Origins whose pages may use passkeys; empty where `server.public_url` permits none",
      examples: [["https://boat.example.org"]],
    }),
  },
  { title: "PageState" },
);

export const PageAddresses = record(
  "PageAddresses",
  {
    addresses: t.Array(t.String({ "x-format": "uri" }), {
      description:
        "`server.public_url`, unless it leads other machines to themselves, and the addresses of the server's machine in its networks; without a slash at their end",
      examples: [["http://192.168.1.10:3000"]],
    }),
    is_closed: out.boolean(
      "True if the server listens to its own machine alone: others reach it by a proxy, or not at all",
      false,
    ),
  },
  "Addresses by which other machines may reach the server",
);
export type PageAddresses = (typeof PageAddresses)["static"];
