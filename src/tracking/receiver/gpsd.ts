import type { Fix, Reading } from "../ingest/fix";
import { OneOfSeveral } from "./one-of-several";
import { dilution, finite, isPlace, NOISE, type Reader, type Taken, understood } from "./reader";

/** Reads the reports of gpsd: JSON objects, one a line (gpsd_json(5)). */

/** Asks gpsd to report; without it, it greets and is silent. */
export const GPSD_WATCH = '?WATCH={"enable":true,"json":true};\n';

/** Characters of a line: a SKY with many satellites has some ten thousand. */
export const GPSD_LINE = 65_536;

/** The status of a fix that comes from a simulator; its mode says 3 all the same. */
const SIMULATED = 8;

type Report = Record<string, unknown>;
type Dilutions = Pick<Fix, "pdop" | "hdop" | "vdop">;

export class GpsdReader implements Reader {
  readonly #devices = new OneOfSeveral();
  /** The dilutions that each device told last: positions come without. */
  readonly #dilutions = new Map<string, Dilutions>();
  #pending: { device: string; fix: Fix } | null = null;

  take(line: string): Taken {
    const report = parsed(line);
    if (report === null) return NOISE;
    const device = typeof report.device === "string" ? report.device : "";
    if (report.class === "TPV") return understood(this.#takePosition(device, report));
    if (report.class === "SKY") this.#takeSky(device, report);
    return understood();
  }

  flush(): Reading[] {
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null) return [];
    return [{ ...pending.fix, ...this.#dilutions.get(pending.device) }];
  }

  #takePosition(device: string, report: Report): Reading[] {
    const time = seconds(report.time);
    const pending = this.#pending;
    const isSame =
      pending !== null && pending.device === device && time !== null && pending.fix.time === time;
    const fix = fixOf(report, time);
    if (fix === null) {
      // Between the reports of one fix, some receivers make gpsd report that there is none.
      if (isSame || !this.#devices.loses(device)) return [];
      return [...this.flush(), { rejected: "no_fix" }];
    }
    if (!this.#devices.admits(device, time)) return [];
    const done = isSame ? [] : this.flush();
    this.#pending = { device, fix: isSame ? { ...pending.fix, ...fix } : fix };
    return done;
  }

  /** A report of the sky may hold one dilution alone: the others stay. */
  #takeSky(device: string, { pdop, hdop, vdop }: Report): void {
    const known = this.#dilutions.get(device) ?? {};
    const told = onlyKnown({ pdop: dilution(pdop), hdop: dilution(hdop), vdop: dilution(vdop) });
    // Bounded: a device is a receiver that is plugged in.
    if (this.#dilutions.size < 64 || this.#dilutions.has(device))
      this.#dilutions.set(device, { ...known, ...told });
  }
}

/** The report, if the line is one: gpsd cuts lines that grow too long. */
function parsed(line: string): Report | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "class" in value ? (value as Report) : null;
  } catch {
    return null;
  }
}

function seconds(time: unknown): number | null {
  const milliseconds =
    typeof time === "string" ? Date.parse(time) : typeof time === "number" ? time * 1_000 : NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds / 1_000;
}

/** The fix of a report; null for one that says that there is none. */
function fixOf(report: Report, time: number | null): Fix | null {
  const [latitude, longitude, mode] = [finite(report.lat), finite(report.lon), finite(report.mode) ?? 0];
  if (mode < 2 || report.status === SIMULATED) return null;
  if (latitude === null || longitude === null || !isPlace(latitude, longitude)) return null;
  const speed = finite(report.speed);
  const track = finite(report.track);
  const error = finite(report.eph);
  return {
    latitude,
    longitude,
    time,
    ...onlyKnown({
      // `alt` is the name by which versions before 3.20 have it.
      altitude: finite(report.altMSL) ?? finite(report.alt) ?? finite(report.altHAE),
      speed_mps: speed !== null && speed >= 0 ? speed : null,
      heading: track !== null && track >= 0 && track <= 360 ? track : null,
      // gpsd doesn't say for how many of a hundred fixes it holds: it is no less than the radius of 68.
      accuracy_m: error !== null && error >= 0 ? error : null,
    }),
  };
}

/** The values that are known, so that none of a later report hides one of an earlier. */
const onlyKnown = <T extends Record<string, number | null>>(values: T): { [K in keyof T]?: number } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: number;
  };
