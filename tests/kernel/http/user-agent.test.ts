import { describe, expect, test } from "bun:test";
import { parseUserAgent, type UserAgent } from "../../../src/kernel/http/user-agent";

const KNOWN: [header: string, expected: UserAgent][] = [
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0",
    { browser: "Firefox", os: "Windows", deviceType: "desktop" },
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
    { browser: "Safari", os: "macOS", deviceType: "desktop" },
  ],
  [
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Mobile Safari/537.36",
    { browser: "Chrome", os: "Android", deviceType: "mobile" },
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    { browser: "Safari", os: "iOS", deviceType: "mobile" },
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
    { browser: "Safari", os: "iOS", deviceType: "tablet" },
  ],
];

describe("a User-Agent header", () => {
  for (const [header, expected] of KNOWN)
    test(`tells ${expected.browser} on ${expected.os}, ${expected.deviceType}`, () => {
      expect(parseUserAgent(header)).toEqual(expected);
    });

  test("that tells nothing is Unknown on a desktop", () => {
    for (const header of [null, "", " ", "x", "(".repeat(500), "\u0000", "Mozilla/5.0", "__proto__"])
      expect([header, parseUserAgent(header)]).toEqual([
        header,
        { browser: "Unknown", os: "Unknown", deviceType: "desktop" },
      ]);
  });

  test("of a program names the program", () => {
    expect(parseUserAgent("curl/8.5.0")).toMatchObject({ os: "Unknown", deviceType: "desktop" });
  });
});
