import Bowser from "bowser";

/** What a User-Agent header tells of a client. */
export interface UserAgent {
  browser: string;
  os: string;
  deviceType: "desktop" | "mobile" | "tablet";
}

const UNKNOWN = "Unknown";

/** Reads a User-Agent header; what it doesn't tell is `Unknown`, and a device of no known type a desktop. */
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
