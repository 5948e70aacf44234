import { describe, expect, test } from "bun:test";
import { isLocalhostName, judgeAddress } from "../../../src/kernel/http/address-rules";

/** Addresses as users may choose them for requests of this server. */

const reachOf = (address: string) => judgeAddress(address).reach;
const wordsOf = (address: string) => judgeAddress(address).words;

describe("an address is", () => {
  test.each(["8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "100.63.0.1", "100.128.0.1"])(
    "public: %s",
    (address) => expect(reachOf(address)).toBe("public"),
  );

  test.each([
    "2606:4700::1111",
    "2a00:1450:4001:81b::200e",
    "64:ff9b::808:808",
    "::ffff:8.8.8.8",
    "2002:808:808::1",
  ])("public over IPv6: %s", (address) => expect(reachOf(address)).toBe("public"));

  test.each([
    ...["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1"],
    ...[
      "fc00::1",
      "fd12:3456::1",
      "fec0::1",
      "::ffff:192.168.1.1",
      "::ffff:c0a8:101",
      "64:ff9b::192.168.1.1",
    ],
    ...[
      "64:ff9b::c0a8:101",
      "2002:c0a8:101::1",
      "::192.168.1.1",
      "::ffff:0:10.0.0.1",
      "2001:db9::5efe:10.0.0.1",
    ],
  ])("private: %s", (address) => expect(reachOf(address)).toBe("private"));

  test.each([
    ...["127.0.0.1", "127.255.255.255", "::1", "[::1]", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1"],
    ...[
      "64:ff9b::127.0.0.1",
      "64:ff9b::7f00:1",
      "2002:7f00:1::",
      "::ffff:0:127.0.0.1",
      "2001:db9::200:5efe:7f00:1",
    ],
  ])("this machine's own: %s", (address) => {
    expect(reachOf(address)).toBe("refused");
    expect(wordsOf(address)).toBe("a loopback address");
  });

  test.each(["0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "017700000001", "127.1", "127.0.1"])(
    "this machine's own in an odd form: %s",
    (address) => expect([reachOf(address), wordsOf(address)]).toEqual(["refused", "a loopback address"]),
  );

  test.each(["3232235777", "0xc0a80101", "0300.0250.1.1", "10.1"])("private in an odd form: %s", (address) =>
    expect(reachOf(address)).toBe("private"),
  );

  test.each(["169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1", "::ffff:169.254.1.1"])(
    "of the link: %s",
    (address) => expect([reachOf(address), wordsOf(address)]).toEqual(["refused", "a link-local address"]),
  );

  test.each([
    ...["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
    ...["fd00:ec2::254", "fd20:ce::254", "fd00:42::42", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"],
    ...["2852039166", "0xa9fea9fe", "2002:a9fe:a9fe::"],
  ])("of a cloud's metadata service: %s", (address) =>
    expect([reachOf(address), wordsOf(address)]).toEqual([
      "refused",
      "an address of a cloud's metadata service",
    ]),
  );

  test.each([
    ...["0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "239.1.2.3", "ff02::1", "255.255.255.255", "240.0.0.1"],
    ...["192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "192.0.0.1", "192.88.99.1"],
    ...["2001:db8::1", "2001::1", "2001:10::1", "100::1", "64:ff9b:1::7f00:1", "3fff::1", "5f00::1"],
    ...["", "example.org", "1.2.3.4.5", "256.256.256.256", ":::", "not an address"],
  ])("refused for another reason: %s", (address) => expect(reachOf(address)).toBe("refused"));
});

test("localhost is this machine by its name, and so is all below it", () => {
  expect(
    ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost."].every(isLocalhostName),
  ).toBe(true);
  expect(["localhost.example.org", "notlocalhost", "local"].some(isLocalhostName)).toBe(false);
});
