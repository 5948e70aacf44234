import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROLES, SETTINGS, wordsIn } from "../../../src/bridge/page/panels/admin/german";
import { vesselWords } from "../../../src/bridge/page/vessel-words";
import { navStatusLabel, shipTypeLabel } from "../../../src/operations/vessels/labels";
import { done } from "../../support/expectations";
import { TestServer } from "../../support/server";

/** Texts of the server that the page says in German: none is missing, and none is of something that there isn't. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

interface Described {
  description: string;
}

describe("in German", () => {
  test("the server's own settings are told, each by its key", async () => {
    const token = await server.admin();
    const settings: { key: string }[] = done(await server.get("/v1/system-config", { token }));
    expect(Object.keys(SETTINGS).sort()).toEqual(settings.map(({ key }) => key).sort());
    expect(wordsIn("de", SETTINGS, "vessels.radius_km", "Vessels…")).toContain("Schiffe");
    expect(wordsIn("en", SETTINGS, "vessels.radius_km", "Vessels…")).toBe("Vessels…");
    expect(wordsIn("de", SETTINGS, "harbour.name", "An operator's")).toBe("An operator's");
  });

  test("the built-in roles are told", async () => {
    const roles: Described[] = done(
      await server.get("/v1/roles?limit=100", { token: await server.admin() }),
    ).data;
    expect(Object.keys(ROLES).sort()).toEqual(roles.map(({ description }) => description).sort());
  });

  test("vessels are told whole, in the words of no other language", () => {
    const labels = [null, ...Array.from({ length: 99 }, (_, at) => at + 1)].flatMap((code) => [
      shipTypeLabel(code),
      navStatusLabel(code),
    ]);
    const same = new Set(labels.filter((label) => vesselWords(label, "de") === label));
    expect([...same]).toEqual(["Tanker"]);
    expect(vesselWords("Cargo, hazardous category B", "de")).toBe("Frachter, Gefahrgut B");
    expect(vesselWords("Cargo, no additional information", "en")).toBe("Cargo");
    expect(vesselWords("Towing, length >200 m or breadth >25 m", "de")).toStartWith("Schleppzug");
  });
});
