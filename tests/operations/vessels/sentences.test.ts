import { afterEach, describe, expect, test } from "bun:test";
import { LineReader } from "../../../src/kernel/feeds/lines";
import { setClock } from "../../../src/kernel/time/clock";
import { decodeMessage } from "../../../src/operations/vessels/ais";
import { MessageReader } from "../../../src/operations/vessels/sentences";
import { armoured, classA, line, parts, sentence, voyage } from "./support";

const AKRA = [
  "!AIVDM,2,1,7,A,57lof8`2F5HeT<eC:204e86373:222222222221@8HQC16Ch0:RA7kAD,0*28",
  "!AIVDM,2,2,7,A,PBp888888888880,2*79",
] as const;
const WHOLE = {
  payload: "57lof8`2F5HeT<eC:204e86373:222222222221@8HQC16Ch0:RA7kADPBp888888888880",
  fillBits: 2,
};
const REPORT = "!AIVDM,1,1,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`<,0*41";
const REPORTED = { payload: "133i;RPP1DPEbcDMV@1r:Ow:2>`<", fillBits: 0 };

const read = (...lines: string[]) => {
  const reader = new MessageReader();
  return lines.flatMap((one) => reader.take(one));
};

afterEach(() => setClock());

describe("a sentence", () => {
  test.each(["AI", "AB", "BS", "AN", "SA", "BB"])("of the talker %s is read", (talker) => {
    expect(read(sentence(classA(1), `${talker}VDM`))).toEqual([armoured(classA(1))]);
  });

  test.each(["AIVDO", "ABVDO", "BSVDO"])("of the own ship (%s) is left out", (talker) => {
    expect(read(sentence(classA(1), talker))).toEqual([]);
  });

  test.each(["A", "B", "1", "2", ""])("on the channel %p is read", (channel) => {
    const { payload } = REPORTED;
    expect(read(line(`AIVDM,1,1,,${channel},${payload},0`))).toEqual([REPORTED]);
  });

  test.each([
    "\\c:1503079500*55\\",
    "\\g:1-2-1234,s:r3669961,c:1120959341*5B\\",
    "\\s:a station,c:1*00\\\\n:2*00\\",
    "noise ",
    "\u0000\u00ff",
    '{"class":"AIS","nmea":["',
  ])("after %p is read", (before) => {
    expect(read(before + REPORT)).toEqual([REPORTED]);
    expect(read(`${before}${REPORT}"]}`)).toEqual([REPORTED]);
  });

  test("is read with a checksum in small letters", () => {
    const capitals = sentence(classA(211_000_030));
    const small = capitals.replace(/..$/, (sum) => sum.toLowerCase());
    expect(read(small)).toEqual(read(capitals));
    expect(read(small).length).toBe(1);
  });

  test("is read when the one before it in its line was cut short", () => {
    expect(read(`!AIVDM,1,1,,B,133i;RPP1D${REPORT}`)).toEqual([REPORTED]);
    expect(read(`${REPORT}${REPORT}`)).toEqual([REPORTED, REPORTED]);
  });

  test("with a wrong checksum is left out, whichever character is wrong", () => {
    for (let at = 1; at < REPORT.length; at++) {
      const wrong = `${REPORT.slice(0, at)}${REPORT[at] === "5" ? "6" : "5"}${REPORT.slice(at + 1)}`;
      expect(read(wrong)).toEqual([]);
    }
  });

  test.each([
    "",
    "!",
    "!AIVDM",
    REPORT.slice(0, -1),
    REPORT.slice(0, -3),
    REPORT.replace("!", "$"),
    line("AIVDM,1,1,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`<"),
    line("AIVDM,1,1,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`<,6"),
    line("AIVDM,1,1,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`X,0"),
    line("AIVDM,1,1,,B,133i RPP1DPEbcDMV@1r:Ow:2>`<,0"),
    line("AIVDM,0,1,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`<,0"),
    line("AIVDM,1,2,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`<,0"),
    line("AIVDM,x,1,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`<,0"),
    line("AIVSI,1,1,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`<,0"),
    "$GPRMC,085743.000,A,5420.4691,N,01330.3920,E,0.51,212.22,300613,,,A*61",
  ])("that is none is left out: %p", (text) => {
    expect(read(text)).toEqual([]);
  });
});

describe("a message in parts", () => {
  const bits = voyage(211_000_031, "IN PARTS");
  const [first, second, third] = parts(bits, 3) as [string, string, string];
  const all = [armoured(bits)];

  test("is put together, in whatever order they come", () => {
    expect(read(...AKRA)).toEqual([WHOLE]);
    expect(read(AKRA[1], AKRA[0])).toEqual([WHOLE]);
    for (const order of [
      [first, second, third],
      [third, second, first],
      [second, third, first],
      [third, first, second],
    ])
      expect(read(...order)).toEqual(all);
  });

  test("is put together with others between, and other messages on the same numbers of another channel", () => {
    const other = voyage(211_000_032, "OTHER CHANNEL");
    const [otherFirst, otherSecond, otherThird] = parts(other, 3, 1, "B") as [string, string, string];
    const number2 = voyage(211_000_033, "OTHER NUMBER");
    const [one, two] = parts(number2, 2, 2) as [string, string];
    expect(
      read(first, otherFirst, one, REPORT, otherSecond, second, two, otherThird, "noise", third),
    ).toEqual([REPORTED, armoured(number2), armoured(other), ...all]);
  });

  test("without a sequence number is put together", () => {
    expect(read(...parts(bits, 2, ""))).toEqual(all);
  });

  test("that lost a part is left out, and harms nothing that follows on its numbers", () => {
    expect(read(first, third)).toEqual([]);
    expect(read(first, second, ...parts(bits, 3))).toEqual(all);
    // A repeated part begins anew: the earlier one has lost its partner.
    const [stale, alsoStale] = parts(voyage(211_000_034, "STALE"), 3) as [string, string];
    expect(read(stale, first, second, third)).toEqual(all);
    expect(read(stale, alsoStale, first, third)).toEqual([]);
  });

  test("is put together once", () => {
    expect(read(first, second, third, third, second)).toEqual(all);
  });

  test("with a part whose checksum is wrong is left out", () => {
    expect(
      read(
        first,
        second.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")),
        third,
      ),
    ).toEqual([]);
  });

  test("with a part above its total is left out", () => {
    expect(read(first, line("AIVDM,3,4,1,A,0000,0"), second, third)).toEqual(all);
  });

  test("is given up after five seconds", () => {
    let time = Date.UTC(2026, 4, 4);
    setClock(() => time);
    const reader = new MessageReader();
    expect(reader.take(first)).toEqual([]);
    expect(reader.take(second)).toEqual([]);
    time += 5_001;
    expect(reader.take(third)).toEqual([]);
    // The third part began anew; the first two are gone.
    expect(reader.take(first)).toEqual([]);
    time += 4_999;
    expect(reader.take(second)).toEqual(all);
  });

  test("of one receiver isn't mixed with those of another", () => {
    const [one, other] = [new MessageReader(), new MessageReader()];
    expect(one.take(first)).toEqual([]);
    expect(other.take(second)).toEqual([]);
    expect([one.take(third), other.take(third)]).toEqual([[], []]);
  });

  test("is forgotten when many others begin: what waits is bounded", () => {
    const reader = new MessageReader();
    const begin = (channel: string, sequence: number, total: number) =>
      reader.take(line(`AIVDM,${total},1,${sequence},${channel},0000,0`));
    reader.take(first);
    reader.take(second);
    for (const channel of ["C", "D", "E", "F", "G", "H", "I"])
      for (let sequence = 0; sequence < 10; sequence++) begin(channel, sequence, 2);
    expect(reader.take(third)).toEqual([]);
  });
});

describe("lines", () => {
  const bytes = (text: string) => Buffer.from(text, "latin1");
  const lines = (...chunks: string[]) => {
    const reader = new LineReader();
    return chunks.flatMap((chunk) => reader.take(bytes(chunk))).filter((one) => one !== "");
  };

  test("end with CR LF, LF or CR; several may come at once", () => {
    expect(lines("one\r\ntwo\nthree\rfour")).toEqual(["one", "two", "three"]);
    expect(lines("one\r", "\ntwo\r\n")).toEqual(["one", "two"]);
  });

  test("may come in pieces of any size", () => {
    const text = `${REPORT}\r\n${AKRA.join("\r\n")}\r\n`;
    for (let size = 1; size < 40; size++) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      expect(lines(...chunks)).toEqual([REPORT, ...AKRA]);
    }
  });

  test("that are too long are left out, and never held whole", () => {
    expect(lines(`${"x".repeat(1_025)}\none\n`)).toEqual(["one"]);
    expect(lines("x".repeat(1_000), "x".repeat(1_000), "x\none\n")).toEqual(["one"]);
    expect(lines(`${"x".repeat(1_024)}\n`)[0]?.length).toBe(1_024);
    const reader = new LineReader();
    const megabyte = Buffer.alloc(1_048_576, "x");
    Bun.gc(true);
    const before = process.memoryUsage().rss;
    for (let chunk = 0; chunk < 300; chunk++) {
      expect(reader.take(megabyte)).toEqual([]);
      // Everything dropped is collected at once, so that all that stays is what the reader holds.
      if (chunk % 30 === 29) Bun.gc(true);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576);
    expect(reader.take(bytes(`\n${REPORT}\n`))).toEqual([REPORT]);
  });
});

test("random bytes never throw, and harm no sentence that follows", () => {
  const readerOfLines = new LineReader();
  const reader = new MessageReader();
  const take = (chunk: Buffer) =>
    readerOfLines
      .take(chunk)
      .flatMap((one) => reader.take(one).map((found) => decodeMessage(found.payload, found.fillBits)));
  for (let round = 0; round < 500; round++) {
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(round)));
    take(noise);
    // Valid sentences with a few characters changed reach deeper into the decoder.
    const near = Buffer.from([...AKRA, REPORT].join("\r\n"), "latin1");
    for (let hit = 0; hit < 3; hit++) near[Math.floor(Math.random() * near.length)] = Math.random() * 256;
    take(near);
    const mmsi = 200_000_000 + round;
    const heard = take(Buffer.from(`\r\n${sentence(classA(mmsi))}\r\n`, "latin1"));
    expect(heard.at(-1)?.mmsi).toBe(mmsi);
  }
});
