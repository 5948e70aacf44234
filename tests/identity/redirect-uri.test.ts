import { describe, expect, test } from "bun:test";
import { redirectUriFault } from "../../src/identity/oauth-clients/redirect-uri";

/** RFC 6749, section 3.1.2: absolute, no fragment. RFC 8252, section 7: private schemes, https, loopback. RFC 3986. */
const GOOD = [
  "https://app.example/callback",
  "https://app.example",
  "https://app.example:8443/callback?tenant=a&next=%2Fhome",
  "https://app.example/callback;v=1/a@b",
  "https://xn--bcher-kva.example/callback",
  "https://192.0.2.7/callback",
  "https://[2001:db8::7]:8443/callback",
  "HTTPS://app.example/callback",
  "http://127.0.0.1/callback",
  "http://127.0.0.1:49152/callback",
  "http://[::1]:61023/callback",
  "http://localhost/callback",
  "http://localhost:3000/callback",
  "HTTP://LOCALHOST:3000/callback",
  "com.example.app:/oauth2redirect/provider",
  "com.example.app://callback",
  "Com.Example.App:/callback",
  "org.example.my-app2:/callback",
];

const BAD: [what: string, uri: string][] = [
  ["nothing", ""],
  ["a path", "/callback"],
  ["a relative path", "callback"],
  ["an address without a scheme", "app.example/callback"],
  ["an address relative to the scheme", "//app.example/callback"],
  ["a query alone", "?code=1"],
  ["a scheme alone", "https:"],
  ["no host", "https://"],
  ["no host before the path", "https:///callback"],
  ["no authority", "https:app.example/callback"],
  ["one slash", "https:/app.example/callback"],
  ["backslashes", "https:\\\\app.example\\callback"],
  ["a backslash that browsers take for a slash", "https://app.example\\@evil.example/callback"],
  ["a host that is none", "https://app example/callback"],
  ["a port that is none", "https://app.example:65536/callback"],
  ["a fragment", "https://app.example/callback#here"],
  ["an empty fragment", "https://app.example/callback#"],
  ["a fragment on loopback", "http://127.0.0.1/callback#here"],
  ["a fragment in a private scheme", "com.example.app:/callback#here"],
  ["http to another host", "http://app.example/callback"],
  ["http to a host that begins like loopback", "http://127.0.0.1.evil.example/callback"],
  ["http to a subdomain of localhost's name", "http://localhost.evil.example/callback"],
  ["http to a loopback name as user", "http://localhost@evil.example/callback"],
  ["http to a private address", "http://192.168.0.1/callback"],
  ["http to all addresses", "http://0.0.0.0/callback"],
  ["javascript:", "javascript:alert(1)"],
  ["javascript: in mixed case", "JavaScript://app.example/%0Aalert(1)"],
  ["data:", "data:text/html,hello"],
  ["vbscript:", "vbscript:msgbox"],
  ["file:", "file:///etc/passwd"],
  ["ftp:", "ftp://app.example/callback"],
  ["ws:", "wss://app.example/callback"],
  ["blob:", "blob:https://app.example/0192f3a1"],
  ["about:", "about:blank"],
  ["urn:", "urn:ietf:wg:oauth:2.0:oob"],
  ["mailto:", "mailto:someone@example.org"],
  ["a private scheme without a dot", "myapp:/callback"],
  ["a private scheme with an empty label", "com..app:/callback"],
  ["a private scheme that ends in a dot", "com.example.:/callback"],
  ["a user", "https://user@app.example/callback"],
  ["a user and password", "https://user:password@app.example/callback"],
  ["an empty user", "https://@app.example/callback"],
  ["an empty user and password", "https://:@app.example/callback"],
  ["a user in a private scheme", "com.example.app://user@host/callback"],
  ["an empty user in a private scheme", "com.example.app://@host/callback"],
  ["a wildcard host", "https://*.app.example/callback"],
  ["a wildcard path", "https://app.example/*"],
  ["a wildcard port", "http://localhost:*/callback"],
  ["a leading blank", " https://app.example/callback"],
  ["a trailing blank", "https://app.example/callback "],
  ["a blank inside", "https://app.example/call back"],
  ["a tab", "https://app.example/\tcallback"],
  ["a line break", "https://app.example/callback\n"],
  ["a line break that browsers drop", "java\nscript:alert(1)"],
  ["NUL", "https://app.example/\0"],
  ["DEL", "https://app.example/\x7f"],
  ["a name that isn't ASCII", "https://bücher.example/callback"],
  ["a path that isn't ASCII", "https://app.example/zurück"],
  ["a look-alike of a slash", "https://app.example／callback"],
  ["quotes and brackets", 'https://app.example/"<callback>'],
  ["a broken percent escape", "https://app.example/%zz"],
];

describe("a redirect URI", () => {
  test.each(GOOD)("may be %s", (uri) => {
    expect(redirectUriFault(uri)).toBeNull();
  });

  test.each(BAD)("is refused: %s", (_, uri) => {
    expect(redirectUriFault(uri)).toStartWith("must ");
  });
});
