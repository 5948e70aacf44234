import { expect, test } from "bun:test";
import { schemaText, TARGET } from "../../tools/mqtt/schema";

test("docs/mqtt.schema.json is what the program publishes: `bun run generate:mqtt` writes it", async () => {
  expect(await Bun.file(TARGET).text()).toBe(schemaText());
});
