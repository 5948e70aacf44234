import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeDeb } from "../.ci/deb";
import manifest from "../package.json" with { type: "json" };
import { loadConfig, OPTIONS } from "../src/configuration/config";
import { temporaryDirectory } from "./support/server";

/** The ways of the program to other machines: the image, the unit, the package, the compose file and the add-on for Home Assistant. */

const root = join(import.meta.dir, "..");
const read = (name: string) => readFileSync(join(root, name), "utf8");

describe("the Dockerfile", () => {
  const lines = read("Dockerfile").split("\n");

  test("pins every image that it takes from outside by its digest", () => {
    const stages = new Set(lines.flatMap((line) => /^FROM .* AS (\S+)$/.exec(line)?.[1] ?? []));
    const images = lines.flatMap((line) => /(?:^FROM |--from=)(\S+)/.exec(line)?.[1] ?? []);
    const outside = images.filter((image) => !stages.has(image));
    expect(outside).toHaveLength(2);
    for (const image of outside) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    // A syntax line would be one more image, which is fetched by its tag.
    expect(lines.filter((line) => /^#\s*syntax=/.test(line))).toEqual([]);
  });
});

describe("the unit for systemd", () => {
  const unit = read("deploy/fairlead.service");
  const directives = new Map(
    unit
      .split("\n")
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

  test("bounds memory and takes every capability away", () => {
    expect(directives.get("MemoryMax")).toMatch(/^\d+[MG]$/);
    expect(directives.get("CapabilityBoundingSet")).toBe("");
    expect(directives.get("NoNewPrivileges")).toBe("yes");
    expect(unit).toMatch(/^SystemCallFilter=@system-service\nSystemCallFilter=~@privileged @resources$/m);
    // JavaScript is compiled to machine code while it runs.
    expect(directives.has("MemoryDenyWriteExecute")).toBe(false);
  });

  const analyze = Bun.which("systemd-analyze");
  test.skipIf(analyze === null)("is exposed below 2.0, as systemd-analyze sees it", () => {
    const { stdout, stderr } = Bun.spawnSync([
      ...["systemd-analyze", "security", "--offline=true", "--no-pager"],
      join(root, "deploy/fairlead.service"),
    ]);
    const [, level] = /exposure level for fairlead\.service: (\d+\.\d)/.exec(stdout.toString()) ?? [];
    expect(stderr.toString()).not.toMatch(/Unknown|Failed to parse/);
    expect(Number(level)).toBeLessThan(2);
  });
});

/** The members of an archive of `ar`, read by its format. */
function membersOf(ar: Uint8Array): Map<string, Uint8Array<ArrayBuffer>> {
  const members = new Map<string, Uint8Array<ArrayBuffer>>();
  const buffer = Buffer.from(ar);
  expect(buffer.toString("latin1", 0, 8)).toBe("!<arch>\n");
  for (let at = 8; at < buffer.length; ) {
    const size = Number(buffer.toString("latin1", at + 48, at + 58));
    expect(buffer.toString("latin1", at + 58, at + 60)).toBe("`\n");
    members.set(
      buffer.toString("latin1", at, at + 16).trim(),
      new Uint8Array(buffer.subarray(at + 60, at + 60 + size)),
    );
    at += 60 + size + (size % 2);
  }
  return members;
}

/** The files of a compressed archive of `tar`, by their paths below the root. */
async function filesOf(tarball: Uint8Array<ArrayBuffer> | undefined): Promise<Map<string, string>> {
  const files = await new Bun.Archive(tarball ?? new Uint8Array()).files();
  const texts = [...files].map(
    async ([path, file]) => [path.replace(/^\.\//, ""), await file.text()] as const,
  );
  return new Map(await Promise.all(texts));
}

describe("the package for Debian", () => {
  const made = () =>
    makeDeb(new TextEncoder().encode("the executable"), "arm64", 1_700_000_000, "1.0.0-beta.1");

  test("holds the program, its unit and its configuration", async () => {
    const members = membersOf(made());
    expect([...members.keys()]).toEqual(["debian-binary", "control.tar.gz", "data.tar.gz"]);
    const control = await filesOf(members.get("control.tar.gz"));
    expect(control.get("control")).toMatch(/^Version: 1\.0\.0~beta\.1\nArchitecture: arm64$/m);
    expect(control.get("control")).not.toMatch(/@[A-Z_]+@/);
    const files = await filesOf(members.get("data.tar.gz"));
    expect(files.get("usr/lib/fairlead/fairlead")).toBe("the executable");
    const unit = files.get("usr/lib/systemd/system/fairlead.service");
    expect(unit).toMatch(/^ExecStart=\/usr\/bin\/fairlead serve\nEnvironment=FAIRLEAD_CONFIG=\/etc/m);
    expect(unit).toMatch(/^User=fairlead$/m);
    expect(unit).not.toMatch(/DynamicUser|\/usr\/local/);
    const sums = (control.get("md5sums") ?? "").trim().split("\n");
    expect(sums).toHaveLength(files.size);
    for (const line of sums) {
      const [sum, path = ""] = line.split("  ");
      if (!path.endsWith(".gz")) expect(sum).toBe(Bun.MD5.hash(files.get(path) ?? "", "hex"));
    }
  });

  test("is the same bytes whenever it is made", () => {
    expect(Bun.SHA256.hash(made(), "hex")).toBe(Bun.SHA256.hash(made(), "hex"));
  });

  test("comes with a configuration that the program takes", () => {
    const environment = { FAIRLEAD_CONFIG: join(root, "deploy/debian/fairlead.toml") };
    expect(loadConfig({ environment })["data.dir"]).toBe("/var/lib/fairlead");
  });

  const dpkg = Bun.which("dpkg-deb");
  test.skipIf(dpkg === null)("is one to dpkg", async () => {
    const path = join(temporaryDirectory(), "fairlead.deb");
    await Bun.write(path, made());
    const { stdout } = Bun.spawnSync(["dpkg-deb", "--contents", path]);
    expect(stdout.toString()).toMatch(
      /^-rw-r----- root\/root +\d+ 2023-11-14 \S+ \.\/etc\/fairlead\/fairlead\.toml$/m,
    );
  });

  test("has scripts that stop at the first error", () => {
    for (const name of ["postinst", "prerm", "postrm"])
      expect(read(`deploy/debian/${name}`)).toStartWith("#!/bin/sh\nset -e\n");
  });
});

interface Compose {
  services: Record<"fairlead" | "caddy", { environment: Record<string, string>; image: string }>;
}

test("the compose file sets keys that the program knows", () => {
  const { services } = Bun.YAML.parse(read("deploy/compose/compose.yaml")) as Compose;
  const filled = Object.entries(services.fairlead.environment).map(([name, value]) => [
    name,
    value.replace(/\$\{DOMAIN:[^}]*\}/, "fleet.example.org"),
  ]);
  const config = loadConfig({ environment: Object.fromEntries(filled) });
  expect(config["server.public_url"]).toBe("https://fleet.example.org");
  expect(services.caddy.image).toMatch(/:\d+\.\d+\.\d+-/);
});

interface AddOn {
  version: string;
  environment: Record<string, string>;
  options: Record<string, Record<string, unknown>>;
  schema: Record<string, Record<string, unknown>>;
}

describe("the add-on for Home Assistant", () => {
  const addOn = Bun.YAML.parse(read("config.yaml")) as AddOn;

  test("has the version of the program", () => {
    expect(addOn.version).toBe(manifest.version);
  });

  test("has options that are keys of the configuration, and defaults that the program takes", async () => {
    const path = join(temporaryDirectory(), "options.json");
    const load = async (options: unknown) => {
      await Bun.write(path, typeof options === "string" ? options : JSON.stringify(options));
      return loadConfig({ environment: { ...addOn.environment, FAIRLEAD_CONFIG: path } });
    };
    expect(await load(addOn.options)).toMatchObject({
      "data.dir": "/config",
      "mqtt.supervisor": "http://supervisor",
      "registration.enabled": false,
    });
    // The broker is the supervisor's, so that no address is needed for it.
    const { mqtt, ...others } = addOn.options;
    expect((await load({ ...others, mqtt: { ...mqtt, owntracks: true } }))["mqtt.owntracks"]).toBe(true);
    for (const wrong of ["[]", "{", "null"])
      await expect(load(wrong)).rejects.toThrow(`the configuration file ${path} cannot be read: `);
    for (const [section, keys] of Object.entries(addOn.schema))
      for (const key of Object.keys(keys)) expect(Object.keys(OPTIONS)).toContain(`${section}.${key}`);
  });
});
