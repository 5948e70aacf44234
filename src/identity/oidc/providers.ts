import { providers } from "../../configuration/config";
import type { Provider } from "../../configuration/provider-options";
import { SignInRefused } from "./refusals";

/** A configured provider by its name; undefined where the configuration has none. */
export const findProvider = (name: string): Provider | undefined =>
  providers.find((provider) => provider.name === name);

/** The same. Throws SignInRefused. */
export function providerOf(name: string): Provider {
  const provider = findProvider(name);
  if (!provider) throw new SignInRefused("unknown_provider");
  return provider;
}

/** The way of a sign-in through a provider, as sessions and events name it: no slug of a platform has a colon. */
export const wayOf = ({ name }: Provider): string => `oidc:${name}`;
