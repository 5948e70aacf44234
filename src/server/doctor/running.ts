import { boundedFetch, jsonOf, OutboundError } from "../../kernel/http/outbound";
import { localAddress } from "../../kernel/http/own-addresses";
import { SECOND } from "../../kernel/time/clock";
import type { Bilingual, Locale } from "../../kernel/values/bilingual";
import type { Health } from "../health/schema";
import { type Check, type Finding, warning } from "./findings";

const BOUNDS = { timeout: 2 * SECOND, maxBytes: 65_536 };

/** The services that say why they are down, as health tells of them. */
type Services = Required<Pick<Health["services"], "position" | "mqtt" | "sync">>;

/** The reason why a service isn't told of: no server answers at its address, or it doesn't know of the service. */
export type Untold = "unreached" | "unknown";

/** A service of the server that runs, as its health tells of it, with its trouble in each language. */
export async function runningServices<Name extends keyof Services>(
  name: Name,
): Promise<(Omit<Services[Name], "trouble"> & { trouble: Bilingual | null }) | Untold> {
  const [en, de] = await Promise.all([told(name, "en"), told(name, "de")]);
  if (typeof en === "string") return en;
  if (typeof de === "string") return de;
  // Between the two requests it may have begun or ended.
  const trouble = en.trouble === null || de.trouble === null ? null : { en: en.trouble, de: de.trouble };
  return { ...en, trouble };
}

async function told<Name extends keyof Services>(
  name: Name,
  locale: Locale,
): Promise<Services[Name] | Untold> {
  try {
    const answer = await boundedFetch(`${localAddress()}/health?locale=${locale}`, {}, BOUNDS);
    const { services } = (await jsonOf(answer)) as Partial<Health>;
    if (services === undefined) return "unreached";
    return (services[name] as Services[Name] | undefined) ?? "unknown";
  } catch (error) {
    if (error instanceof OutboundError) return "unreached";
    throw error;
  }
}

/** The finding on a service that isn't told of. */
export const untold = (check: Check, why: Untold): Finding =>
  warning(
    check,
    why === "unknown"
      ? {
          en: "the server doesn't tell of it; restart the server, so that it reads the configuration",
          de: "der Server meldet nichts davon; starte ihn neu, damit er die Konfiguration liest",
        }
      : {
          en: `the server isn't reached at ${localAddress()}, so nothing is known of it; call the doctor with the --host and --port that the server was started with`,
          de: `der Server ist unter ${localAddress()} nicht zu erreichen, also ist nichts davon bekannt; rufe den Doktor mit dem --host und --port auf, mit denen der Server gestartet wurde`,
        },
  );
