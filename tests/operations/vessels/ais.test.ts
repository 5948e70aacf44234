import { describe, expect, test } from "bun:test";
import { decodeMessage } from "../../../src/operations/vessels/ais";
import { navStatusLabel, shipTypeLabel } from "../../../src/operations/vessels/labels";
import { MessageReader } from "../../../src/operations/vessels/sentences";
import { VesselStore } from "../../../src/operations/vessels/store";
import { armoured, classA, classB, message, partA, partB, said, voyage } from "./support";

/** Decodes lines in the form in which a receiver sends them. */
function decodeLines(...lines: string[]) {
  const reader = new MessageReader();
  const messages = lines.flatMap((line) => reader.take(line));
  return messages.map(({ payload, fillBits }) => said(decodeMessage(payload, fillBits)));
}

const decode = (bits: string) => {
  const { payload, fillBits } = armoured(bits);
  return said(decodeMessage(payload, fillBits));
};

/** The vessel that is told after these messages. */
function vesselOf(...messages: string[]) {
  const store = new VesselStore();
  for (const bits of messages) {
    const { payload, fillBits } = armoured(bits);
    const report = decodeMessage(payload, fillBits);
    if (report) store.hear(report);
  }
  return store.near(null, 1)[0];
}

describe("verified sentences", () => {
  test("of class A, at 8.4 knots and without a heading", () => {
    expect(decodeLines("!AIVDM,1,1,,B,133i;RPP1DPEbcDMV@1r:Ow:2>`<,0*41")).toEqual([
      {
        mmsi: 205278090,
        nav_status: 0,
        speed: 8.4,
        position: { latitude: 51.725665, longitude: 4.73319 },
        course: 260.1,
        heading: null,
      },
    ]);
  });

  test("of class A, in the west, with a heading", () => {
    expect(decodeLines("!AIVDM,1,1,,A,15RTgt0PAso;90TKcjM8h6g208CQ,0*4A")).toEqual([
      {
        mmsi: 371798000,
        nav_status: 0,
        speed: 12.3,
        position: { latitude: 48.381633, longitude: -123.395383 },
        course: 224,
        heading: 215,
      },
    ]);
  });

  test("of static data in two parts", () => {
    expect(
      decodeLines(
        "!AIVDM,2,1,7,A,57lof8`2F5HeT<eC:204e86373:222222222221@8HQC16Ch0:RA7kAD,0*28",
        "!AIVDM,2,2,7,A,PBp888888888880,2*79",
      ),
    ).toEqual([{ mmsi: 525200930, name: "AKRA 102", ship_type: 80, length: 100, beam: 20 }]);
  });

  test("of class B, and extended class B", () => {
    expect(
      decodeLines(
        "!AIVDM,1,1,,B,B3mISo000H;wsB8SetMnww`5oP06,0*7C",
        "!AIVDM,1,1,,B,C6:b0Kh09b3t1K4ChsS2FK008NL>`2CT@2N000000000S4h8S400,0*50",
      ),
    ).toMatchObject([
      {
        mmsi: 257319900,
        speed: 0.1,
        position: { latitude: 59.825398, longitude: 10.484753 },
        course: 190.3,
      },
      { mmsi: 413827183, name: "DONGTAI2HAO", ship_type: 70, length: 93, beam: 14, speed: 3.8 },
    ]);
  });

  test("of class B's static data, parts A and B", () => {
    expect(
      decodeLines(
        "!AIVDM,1,1,,A,H42O55i18tMET00000000000000,2*6D",
        "!AIVDM,1,1,,A,H42O55lt0000000D3nink000?0500,0*70",
      ),
    ).toEqual([
      { mmsi: 271041815, name: "PROGUY" },
      { mmsi: 271041815, ship_type: 60, length: 15, beam: 5 },
    ]);
  });
});

describe("a message", () => {
  const AT_GREIFSWALD = { position: { latitude: 54.0967, longitude: 13.4553 }, speed: 8.4, course: 260.1 };

  test.each([1, 2, 3])("of type %d tells position, movement and status", (type) => {
    expect(decode(classA(211_000_001, { type, status: 5 }))).toEqual({
      mmsi: 211_000_001,
      nav_status: 5,
      heading: 258,
      ...AT_GREIFSWALD,
    });
  });

  test("of type 18 tells position and movement, and of no status", () => {
    expect(decode(classB(211_000_002))).toEqual({ mmsi: 211_000_002, heading: 258, ...AT_GREIFSWALD });
  });

  test("of type 19 tells name, type and dimension too", () => {
    expect(decode(classB(211_000_003, {}, { name: "WIND & SEA", type: 36 }))).toEqual({
      ...{ mmsi: 211_000_003, heading: 258, ...AT_GREIFSWALD },
      ...{ name: "WIND & SEA", ship_type: 36, length: 100, beam: 20 },
    });
  });

  test("in the south and west has negative degrees", () => {
    const raw = { latitude: -33.85 * 600_000, longitude: -70.5 * 600_000 };
    const position = { latitude: -33.85, longitude: -70.5 };
    expect(decode(classA(1, raw))).toMatchObject({ position });
    expect(decode(classB(1, raw))).toMatchObject({ position });
  });

  test("tells its position to the last unit of AIS, without rounding noise", () => {
    const at = (longitude: number) => vesselOf(classA(1, { longitude, latitude: 1 }));
    expect([at(1)?.lng, at(2)?.lng, at(3)?.lng, at(1)?.lat]).toEqual([
      0.000002, 0.000003, 0.000005, 0.000002,
    ]);
  });

  test.each([4, 6, 8, 9, 11, 14, 15, 20, 21, 27, 0, 63])("of type %d tells of no vessel", (type) => {
    expect(decode(message([type, 6], [0, 2], [211_000_001, 30], [0, 260]))).toBeNull();
  });

  test("without a vessel's number, or with one of ten digits, tells of none", () => {
    expect(decode(classA(0))).toBeNull();
    expect(decode(classA(1_000_000_000))).toBeNull();
    expect(decode(classA(999_999_999))).toMatchObject({ mmsi: 999_999_999 });
  });

  test("that ends early tells what is there", () => {
    const bits = classA(211_000_001);
    const { heading: _, ...withoutHeading } = decode(bits) as { heading: number };
    expect(decode(bits.slice(0, 136))).toEqual(withoutHeading);
    expect(decode(bits.slice(0, 115))).toEqual({ mmsi: 211_000_001, nav_status: 0, speed: 8.4 });
    expect(decode(bits.slice(0, 38))).toEqual({ mmsi: 211_000_001 });
    expect(decode(bits.slice(0, 37))).toBeNull();
    expect(decode(bits.slice(0, 5))).toBeNull();
    expect(decode("")).toBeNull();
    expect(decode(partA(211_000_001, "SHORT").slice(0, 159))).toEqual({ mmsi: 211_000_001 });
  });

  test.each([422, 424, 426])("of type 5 may have %d bits", (length) => {
    expect(decode(voyage(211_000_004, "AURORA").padEnd(length, "0").slice(0, length))).toEqual({
      ...{ mmsi: 211_000_004, name: "AURORA", ship_type: 70, length: 100, beam: 20 },
    });
  });

  test("of type 24 with a part that isn't defined tells nothing but that the vessel is there", () => {
    expect(decode(message([24, 6], [0, 2], [7, 30], [2, 2], [0, 128]))).toEqual({ mmsi: 7 });
  });

  test("of type 24 part B from an auxiliary craft tells no dimension: the bits are its mother ship", () => {
    expect(decode(partB(982_110_001, 52))).toEqual({ mmsi: 982_110_001, ship_type: 52 });
    expect(decode(partB(972_110_001, 52))).toEqual({
      ...{ mmsi: 972_110_001, ship_type: 52, length: 100, beam: 20 },
    });
  });
});

describe("what is not available", () => {
  test.each([
    ["heading", 511, null],
    ["heading", 360, null],
    ["heading", 359, 359],
    ["heading", 0, 0],
    ["course", 3600, null],
    ["course", 4095, null],
    ["course", 3599, 359.9],
    ["course", 0, 0],
  ] as const)("%s %d is %p", (field, raw, value) => {
    expect(vesselOf(classA(1, { [field]: raw }))?.[field]).toBe(value);
    expect(vesselOf(classB(1, { [field]: raw }))?.[field]).toBe(value);
  });

  test("speed 1023 is 0; 1022 is 102.2 knots or more", () => {
    const speed = (raw: number) => vesselOf(classA(1, { speed: raw }))?.speed_kmh;
    expect([speed(1023), speed(0), speed(1), speed(84), speed(1022)]).toEqual([
      0, 0, 0.1852, 15.5568, 189.2744,
    ]);
  });

  test("every speed is exactly what it is in km/h, without rounding noise", () => {
    for (let raw = 0; raw <= 1022; raw++)
      expect(String(vesselOf(classA(1, { speed: raw }))?.speed_kmh)).toMatch(/^\d+(\.\d{1,4})?$/);
  });

  test("status 15 and type 0 are null and Unknown, and so is a type above 99", () => {
    const unknown = {
      nav_status: null,
      nav_status_label: "Unknown",
      ship_type: null,
      ship_type_label: "Unknown",
    };
    expect(vesselOf(classA(1, { status: 15 }), voyage(1, "", 0))).toMatchObject(unknown);
    expect(vesselOf(classA(1, { status: 15 }), voyage(1, "", 100))).toMatchObject(unknown);
    expect(vesselOf(classA(1, { status: 15 }), voyage(1, "", 255))).toMatchObject(unknown);
  });

  test("latitude 91 and longitude 181 are no position, and neither is one beyond the globe", () => {
    for (const raw of [{ latitude: 91 }, { longitude: 181 }, { latitude: -90.5 }, { longitude: -180.5 }]) {
      const degrees = Object.entries(raw).map(([axis, value]) => [axis, value * 600_000]);
      expect(decode(classA(1, Object.fromEntries(degrees)))).toMatchObject({ position: null });
      expect(decode(classB(1, Object.fromEntries(degrees)))).toMatchObject({ position: null });
    }
    const corner = { latitude: -90 * 600_000, longitude: 180 * 600_000 };
    expect(decode(classA(1, corner))).toMatchObject({ position: { latitude: -90, longitude: 180 } });
  });

  test("a dimension of 0 is null; with the antenna's place unknown it is the whole", () => {
    const size = (dimension: object) => {
      const { length, beam } = vesselOf(classA(1), voyage(1, "", 70, dimension)) ?? {};
      return [length, beam];
    };
    expect(size({ a: 0, b: 0, c: 0, d: 0 })).toEqual([null, null]);
    expect(size({ a: 0, b: 12, c: 0, d: 4 })).toEqual([12, 4]);
    expect(size({ a: 511, b: 511, c: 63, d: 63 })).toEqual([1022, 126]);
  });

  test("a name ends at the first @, and has no spaces around it", () => {
    const name = (text: string) => vesselOf(classA(1), voyage(1, text))?.name;
    expect(name("@@@@")).toBe("");
    expect(name("      ")).toBe("");
    expect(name(" NORDIC  STAR ")).toBe("NORDIC  STAR");
    expect(name("ABC@XYZ")).toBe("ABC");
    expect(name("THE NAME OF 20 CHARS")).toBe("THE NAME OF 20 CHARS");
    expect(name("!\"#$%&'()*+,-./:;<=>")).toBe("!\"#$%&'()*+,-./:;<=>");
    expect(name("[\\]^_?")).toBe("[\\]^_?");
  });
});

describe("the label", () => {
  test("of each navigational status is that of the standard", () => {
    expect(Array.from({ length: 15 }, (_, code) => navStatusLabel(code))).toEqual([
      "Under way using engine",
      "At anchor",
      "Not under command",
      "Restricted manoeuvrability",
      "Constrained by her draught",
      "Moored",
      "Aground",
      "Engaged in fishing",
      "Under way sailing",
      "Reserved (HSC)",
      "Reserved (WIG)",
      "Power-driven vessel towing astern (regional)",
      "Power-driven vessel pushing ahead or towing alongside (regional)",
      "Reserved",
      "AIS-SART active",
    ]);
    expect(navStatusLabel(null)).toBe("Unknown");
  });

  test.each([
    [null, "Unknown"],
    [1, "Reserved"],
    [19, "Reserved"],
    [20, "Wing in ground"],
    [21, "Wing in ground, hazardous category A"],
    [29, "Wing in ground, reserved"],
    [30, "Fishing"],
    [31, "Towing"],
    [32, "Towing, length >200 m or breadth >25 m"],
    [33, "Dredging or underwater ops"],
    [34, "Diving ops"],
    [35, "Military ops"],
    [36, "Sailing"],
    [37, "Pleasure craft"],
    [38, "Reserved"],
    [39, "Reserved"],
    [40, "High speed craft"],
    [49, "High speed craft, no additional information"],
    [50, "Pilot vessel"],
    [51, "Search and rescue"],
    [52, "Tug"],
    [53, "Port tender"],
    [54, "Anti-pollution equipment"],
    [55, "Law enforcement"],
    [56, "Spare, local vessel"],
    [57, "Spare, local vessel"],
    [58, "Medical transport"],
    [59, "Noncombatant ship (RR Resolution 18)"],
    [60, "Passenger"],
    [64, "Passenger, hazardous category D"],
    [70, "Cargo"],
    [72, "Cargo, hazardous category B"],
    [73, "Cargo, hazardous category C"],
    [75, "Cargo, reserved"],
    [80, "Tanker"],
    [88, "Tanker, reserved"],
    [89, "Tanker, no additional information"],
    [90, "Other type"],
    [99, "Other type, no additional information"],
  ])("of ship type %p is %p", (code, label) => {
    expect(shipTypeLabel(code)).toBe(label);
  });

  test("of every type there is says something", () => {
    for (let code = 1; code <= 99; code++) expect(shipTypeLabel(code)).toMatch(/^[A-Z][^,]+/);
  });
});

test("random payloads never throw, and what they tell is within the bounds of AIS", () => {
  const armour = Array.from({ length: 64 }, (_, six) => armoured(six.toString(2).padStart(6, "0")).payload);
  let told = 0;
  for (let round = 0; round < 3_000; round++) {
    const types = [1, 2, 3, 5, 18, 19, 24, round % 64];
    const length = Math.floor(Math.random() * 75);
    const rest = Array.from({ length }, () => armour[Math.floor(Math.random() * 64)]).join("");
    const report = decodeMessage(`${armour[types[round % 8] ?? 0]}${rest}`, round % 6);
    if (!report) continue;
    told++;
    const store = new VesselStore();
    store.hear(report);
    for (const vessel of store.near(null, 1)) {
      expect(Math.abs(vessel.lat) <= 90 && Math.abs(vessel.lng) <= 180).toBe(true);
      expect(vessel.speed_kmh >= 0 && vessel.speed_kmh < 190).toBe(true);
      expect(vessel.name.length <= 20).toBe(true);
    }
  }
  expect(told).toBeGreaterThan(500);
});
