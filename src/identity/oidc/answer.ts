import {
  AUTHORIZATION_RESPONSE_ERROR,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  getValidatedIdTokenClaims,
  type IDToken,
  KEY_SELECTION,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  type UserInfoResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from "oauth4webapi";
import type { Provider } from "../../configuration/provider-options";
import { verifiersOfSignIns } from "./begin";
import { type Claims, isIncomplete, readClaims } from "./claims";
import { authenticationOf, clientOf, forgetKeys, optionsOf, serverOf } from "./discovery";
import { faultOf } from "./faults";
import { SignInRefused } from "./refusals";
import type { oidcStates } from "./table";

type State = typeof oidcStates.$inferSelect;

/**
 * Reads the answer of a provider that a browser brought back: exchanges its code, and checks the ID token as OpenID Connect Core
 * 1.0, section 3.1.3.7 has it, its signature too. Throws SignInRefused.
 */
export async function readAnswer(
  provider: Provider,
  row: State,
  state: string,
  answer: URLSearchParams,
): Promise<Claims> {
  const server = await serverOf(provider);
  const parameters = validated(provider, server, state, answer);
  const { token, accessToken } = await exchange(provider, server, row, parameters);
  const more = isIncomplete(token, provider)
    ? await userInfo(provider, server, accessToken, token.sub)
    : null;
  return readClaims(token, more, provider);
}

/** The answer, with its issuer (RFC 9207) and without an error. */
function validated(provider: Provider, server: AuthorizationServer, state: string, answer: URLSearchParams) {
  try {
    return validateAuthResponse(server, clientOf(provider), answer, state);
  } catch (error) {
    const { code, error: word } = error as { code?: string; error?: string };
    if (code !== AUTHORIZATION_RESPONSE_ERROR) throw faultOf(error, "answer");
    if (word === "access_denied") throw new SignInRefused("denied");
    throw new SignInRefused(
      "provider_error",
      `answer: ${/^[a-z_]{1,64}$/.test(word ?? "") ? word : "an error without a name"}`,
    );
  }
}

/** The claims of the ID token for a code. */
async function exchange(
  provider: Provider,
  server: AuthorizationServer,
  row: State,
  parameters: URLSearchParams,
): Promise<{ token: IDToken; accessToken: string }> {
  const client = clientOf(provider);
  const options = optionsOf(provider);
  try {
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(provider, server),
      parameters,
      row.callback,
      verifiersOfSignIns.open(row.code_verifier, row.state_hash),
      options,
    );
    const tokens = await processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: row.nonce,
      requireIdToken: true,
    });
    await checkSignature(provider, server, response);
    const token = getValidatedIdTokenClaims(tokens);
    if (!token) throw new SignInRefused("bad_answer", "token: no ID token");
    return { token, accessToken: tokens.access_token };
  } catch (error) {
    throw faultOf(error, "token");
  }
}

/** Checks the signature of an ID token. A key that isn't known is looked for once more: they rotate. */
async function checkSignature(
  provider: Provider,
  server: AuthorizationServer,
  response: Response,
): Promise<void> {
  try {
    await validateApplicationLevelSignature(server, response, optionsOf(provider)).catch(async (error) => {
      if ((error as { code?: string }).code !== KEY_SELECTION) throw error;
      forgetKeys(provider);
      await validateApplicationLevelSignature(await serverOf(provider), response, optionsOf(provider));
    });
  } catch (error) {
    throw faultOf(error, "keys");
  }
}

/** Claims about the user (OpenID Connect Core 1.0, section 5.3); null where the provider has no such endpoint. */
async function userInfo(
  provider: Provider,
  server: AuthorizationServer,
  accessToken: string,
  subject: string,
): Promise<UserInfoResponse | null> {
  if (server.userinfo_endpoint === undefined) return null;
  const client = clientOf(provider);
  try {
    const answer = await userInfoRequest(server, client, accessToken, optionsOf(provider));
    return await processUserInfoResponse(server, client, subject, answer);
  } catch (error) {
    throw faultOf(error, "userinfo");
  }
}
