import Bowser from "bowser";

/** The parts of a User-Agent header. */
export interface UserAgent {
  browser: string;
  os: string;
  deviceType: "desktop" | "mobile" | "tablet";
}

const UNKNOWN = "Unknown";

/** Reads a User-Agent header; missing parts are `Unknown`, and a device of no known type is a desktop. */
export function parseUserAgent(header: string | null): UserAgent {
  // Bowser throws on an empty string.
  const parsed = header ? Bowser.parse(header) : null;
  const type = parsed?.platform.type;
  return {
    browser: parsed?.browser.name || UNKNOWN,
    os: parsed?.os.name || UNKNOWN,
    deviceType: type === "mobile" || type === "tablet" ? type : "desktop",
  };
}
