import { boundedFetch, jsonOf } from "../../kernel/http/outbound";
import { SECOND } from "../../kernel/time/clock";
import type { Bilingual, Locale } from "../../kernel/values/bilingual";
import { localAddress } from "../health/command";
import type { Health } from "../health/schema";

const BOUNDS = { timeout: 2 * SECOND, maxBytes: 65_536 };

/** The services that say why they are down, as health tells of them. */
type Services = Required<Pick<Health["services"], "position" | "mqtt" | "sync">>;

/** A service of the server that runs, as its health tells of it, with its trouble in each language; null where it tells nothing. */
export async function runningServices<Name extends keyof Services>(
  name: Name,
): Promise<(Omit<Services[Name], "trouble"> & { trouble: Bilingual | null }) | null> {
  const [en, de] = await Promise.all([told(name, "en"), told(name, "de")]);
  if (!en || !de) return null;
  // Between the two requests it may have begun or ended.
  const trouble = en.trouble === null || de.trouble === null ? null : { en: en.trouble, de: de.trouble };
  return { ...en, trouble };
}

async function told<Name extends keyof Services>(name: Name, locale: Locale): Promise<Services[Name] | null> {
  try {
    const answer = await boundedFetch(`${localAddress()}/health?locale=${locale}`, {}, BOUNDS);
    return (((await jsonOf(answer)) as Health).services[name] ?? null) as Services[Name] | null;
  } catch {
    return null;
  }
}
