import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import ipaddr from "ipaddr.js";
import { type CityResponse, Reader } from "maxmind";
import { ConfigError, config } from "../../configuration/config";
import { describeError, log } from "../../kernel/logs/log";
import { BilingualError } from "../../kernel/values/bilingual";
import { lazy } from "../../kernel/values/lazy";

/** Place of an IP address, by a City database in MaxMind's format on this machine; no other host is asked. */

export interface Place {
  /** ISO 3166-1 alpha-2. */
  country_code: string | null;
  country_name: string | null;
  city: string | null;
  region: string | null;
}

const NOWHERE: Place = { country_code: null, country_name: null, city: null, region: null };

let reader: Reader<CityResponse> | null = null;
/** The state of the file when it was last tried: each state is read, and complained of, only once. */
let tried = "";

const versionOf = ({ ino, size, mtimeMs }: { ino: number; size: number; mtimeMs: number }) =>
  `${ino} ${size} ${mtimeMs}`;

function read(content: Buffer): Reader<CityResponse> {
  const fresh = new Reader<CityResponse>(content);
  if (!/city/i.test(fresh.metadata.databaseType))
    throw new BilingualError({
      en: `it is a ${fresh.metadata.databaseType} database, not a City one`,
      de: `sie ist eine Datenbank der Art ${fresh.metadata.databaseType}, nicht City`,
    });
  return fresh;
}

/** The build time of a database. Throws with the reason if the file is not usable. */
export const geoipBuilt = (path: string): Date => read(readFileSync(path)).metadata.buildEpoch;

/** Opens the configured database. Throws ConfigError when it can't be read. */
export function openGeoip(): void {
  const path = config["geoip.database"];
  reader = null;
  if (path === null) return;
  try {
    tried = versionOf(statSync(path));
    reader = read(readFileSync(path));
  } catch (error) {
    throw new ConfigError(`geoip.database ${path} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * The job: reloads the database when its file has changed. If the new file can't be read, the old database
 * stays in use.
 */
export async function reloadGeoip(): Promise<void> {
  const path = config["geoip.database"];
  if (path === null) return;
  const state = await stat(path).then(versionOf, (error: Error) => error.message);
  if (state === tried) return;
  tried = state;
  try {
    reader = read(await readFile(path));
    log.info("the GeoIP database was read anew", { path });
  } catch (error) {
    log.warn("the GeoIP database cannot be read; the former one stays in use", {
      path,
      ...describeError(error),
    });
  }
}

/**
 * Place of an address. All fields are null for a private address, for an unknown one, and without a database
 * (rule E3).
 */
export function locate(address: string | null | undefined): Place {
  if (!reader || !address || !ipaddr.isValid(address)) return NOWHERE;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return NOWHERE;
  const found = lookUp(reader, parsed.toString());
  return found ? placeOf(found) : NOWHERE;
}

/** Free databases (@ip-location-db) hold the same in flat records. */
type Entry = Omit<CityResponse, "city"> & {
  city?: CityResponse["city"] | string;
  country_code?: string;
  state1?: string;
};

const countryNames = lazy(() => new Intl.DisplayNames("en", { type: "region", fallback: "none" }));

function placeOf(entry: Entry): Place {
  const code = entry.country?.iso_code ?? (entry.country_code || null);
  const city = typeof entry.city === "string" ? entry.city : entry.city?.names?.en;
  return {
    country_code: code,
    country_name: entry.country?.names?.en ?? nameOf(code),
    city: city || null,
    region: entry.subdivisions?.[0]?.names?.en ?? (entry.state1 || null),
  };
}

/** The English name of a country; null for an unknown code. */
const nameOf = (code: string | null): string | null =>
  code !== null && /^[A-Z]{2}$/.test(code) ? (countryNames().of(code) ?? null) : null;

/**
 * Looks an address up. A file damaged inside opens without error and fails at some address: then it is
 * dropped until it changes.
 */
function lookUp(database: Reader<CityResponse>, address: string): CityResponse | null {
  try {
    return database.get(address);
  } catch (error) {
    reader = null;
    log.warn("the GeoIP database is damaged; events get no place until it is replaced", describeError(error));
    return null;
  }
}
