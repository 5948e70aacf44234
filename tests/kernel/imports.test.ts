import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Rules of imports. They keep the way from a route to SQL short, and each folder readable by itself. */

const SRC = join(import.meta.dir, "../../src");

interface Import {
  /** Path below src without its ending, or the name of a package. */
  target: string;
  isPackage: boolean;
  /** Only types: nothing is loaded at run time. */
  typeOnly: boolean;
}

/** The codec stands beside the file that it reads. */
const CODEC = "../proto/fairlead/ws/v1/codec.ts";

const files = [...readdirSync(SRC, { recursive: true, encoding: "utf8" }), CODEC]
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && !file.startsWith("bridge/page/"))
  .map((file) => file.replace(/\.ts$/, ""))
  .sort();

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^;"]*?\s+from\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm;

const importsOf = new Map<string, Import[]>(
  files.map((file) => {
    const source = readFileSync(join(SRC, `${file}.ts`), "utf8");
    const found = [...source.matchAll(IMPORT)].map(([, type, name = "", dynamic]): Import => {
      const specifier = name || (dynamic ?? "");
      const isPackage = !specifier.startsWith(".");
      const target = isPackage
        ? specifier
        : normalize(join(dirname(file), specifier)).replace(/^(\.\.\/)+src\//, "");
      return { target, isPackage, typeOnly: type !== undefined };
    });
    return [file, found];
  }),
);

// --- Kinds of files ----------------------------------------------------------------------------------------

const DOMAINS = [
  "identity",
  "tracking",
  "sync",
  "operations",
  "alerts",
  "mqtt",
  "personal-data",
  "realtime",
  "server",
  "graphql",
  "docs",
  "bridge",
];
const isKernel = (file: string) => file.startsWith("kernel/");
const isDomain = (file: string) => DOMAINS.some((domain) => file.startsWith(`${domain}/`));
const named = (name: string) => (file: string) => file.endsWith(`/${name}`) && !file.startsWith("graphql/");
const [isTable, isSchema, isService] = [named("table"), named("schema"), named("service")];
/** Entries from outside: REST routes, the socket, GraphQL. */
const isDoor = (file: string) =>
  named("routes")(file) || file === "docs/pages" || file === "realtime/socket" || file.startsWith("graphql/");
/** Checks that doors make before they call a service. */
const GUARDS = [
  "identity/access/guard",
  "tracking/doors/guard",
  "sync/boxes/guard",
  "identity/two-factor-codes/tries",
  "identity/reauthentication/limits",
  "bridge/authorize/sign-in",
];
const isGuard = (file: string) => GUARDS.includes(file);
/** Files outside the domains and the kernel: the configuration, the version, and the start of threads. */
const isGround = (file: string) => file.startsWith("configuration/") || file === "workers";
/** Logic or constants that depend on nothing in the program: they may be used from anywhere. */
const isPure = (file: string) => (importsOf.get(file) ?? []).every(({ isPackage }) => isPackage);
const isElysia = (name: string) => name === "elysia" || name.startsWith("@elysiajs/");
const isSql = (target: string) =>
  (target.startsWith("kernel/db/") && target !== "kernel/db/events") ||
  target === "bun:sqlite" ||
  target.startsWith("drizzle-orm");

// --- Rooms -------------------------------------------------------------------------------------------------

/**
 * The rooms from the ground up: a folder imports from those before it alone. Two kinds of files stand outside
 * of this order, since they depend on nothing above them: the tables, which reference each other across rooms
 * as the database's foreign keys do, and the list of worker threads.
 */
const ROOMS = [
  ...["kernel/time", "kernel/values", "kernel/logs", "kernel/errors", "kernel/limits", "kernel/feeds"],
  ...[
    "configuration",
    "kernel/process",
    "kernel/crypto",
    "kernel/db",
    "kernel/http",
    "kernel/pdf",
    "runtime-settings",
  ],
  ...["feed", "outbox", "mqtt/broker", "proto"],
  // Identity: access first, then what accounts are made of, then their use cases.
  ...["identity/access", "identity/audit", "identity/platforms", "identity/proof", "identity/verification"],
  ...["identity/directory", "identity/email", "identity/grants", "identity/sessions", "identity/passwords"],
  ...[
    "identity/two-factor-codes",
    "identity/bans",
    "identity/oidc-codes",
    "identity/webauthn",
    "identity/ways-in",
    "identity/reauthentication",
    "identity/roles",
  ],
  ...["identity/api-keys", "identity/email-addresses", "identity/users", "identity/accounts"],
  ...[
    "identity/two-factor",
    "identity/auth",
    "identity/passkeys",
    "identity/audit-log",
    "identity/oauth-clients",
  ],
  ...["identity/consents", "identity/oauth", "identity/oidc", "identity"],
  // Rows that belong to boxes or are handed to them: whatever changes one asks here.
  "sync/owner",
  // The domains. Alerts come first: what they watch tells them of each change in its own commit.
  ...[
    "alerts",
    "alerts/schedules",
    "alerts/texts",
    "alerts/targets",
    "alerts/deliveries/kinds",
    "alerts/deliveries",
  ],
  ...["alerts/alerts", "alerts/arrivals", "alerts/rules", "alerts/conditions", "alerts/anchor"],
  ...[
    "tracking/shares",
    "tracking/links",
    "tracking/geofences",
    "tracking/locations",
    "tracking/timeline",
    "tracking/ingest",
    "tracking/ingest/formats",
  ],
  ...["tracking/gps", "tracking/devices", "tracking/categories", "tracking/trackers", "tracking/doors"],
  // Invitations share devices.
  "identity/invitations",
  ...[
    "tracking/crossings",
    "tracking/log",
    "tracking/trips",
    "tracking/auto-trips",
    "tracking/templates",
    "tracking/tracks",
    "tracking/shared",
    "tracking/receiver",
    "tracking/import",
  ],
  ...["sync/boxes", "sync/down", "sync/batch", "sync/ashore", "sync/push", "sync/aboard"],
  ...["operations/settings", "operations/system-config", "operations/water-levels", "operations/vessels"],
  ...["operations/integrations", "operations/community", "operations/stats"],
  // These reach into every domain.
  ...[
    "bridge/charts",
    "changes",
    "mqtt/home-assistant",
    "mqtt/owntracks",
    "mqtt",
    "realtime",
    "personal-data/export-logs",
    "personal-data/deletion",
    "personal-data/export",
  ],
  ...[
    "server/keys",
    "server/backup",
    "alerts/gauges",
    "server/heartbeat",
    "server/metrics",
    "server/health",
    "server/doctor",
  ],
  // The doors that are no REST routes of a domain, and what puts all of it together.
  ...[
    "bridge",
    "bridge/first-start",
    "bridge/authorize",
    "bridge/elsewhere",
    "bridge/shell",
    "docs",
    "graphql",
    "demo",
    ".",
  ],
];

const roomOf = (file: string) => (file.startsWith("../proto/") ? "proto" : dirname(file));
const isOutsideTheOrder = (target: string) => isTable(target) || target === "workers";

// --- Exceptions --------------------------------------------------------------------------------------------

/** Imports that break a rule for a reason. One that is no longer there must go from this list. */
const EXCEPTIONS: { from: string; to: string; why: string }[] = [
  {
    from: "serve",
    to: "realtime/socket",
    why: "whoever listens must hand Bun the socket's handlers, and starts and stops the heartbeat",
  },
];
const isException = (from: string, to: string) =>
  EXCEPTIONS.some((exception) => exception.from === from && exception.to === to);

/** Imports of the files that `from` picks, as "file → target", which are not allowed. */
function broken(
  from: (file: string) => boolean,
  allowed: (found: Import, file: string) => boolean,
): string[] {
  return files
    .filter(from)
    .flatMap((file) =>
      (importsOf.get(file) ?? [])
        .filter((found) => !allowed(found, file) && !isException(file, found.target))
        .map(({ target }) => `${file} → ${target}`),
    );
}

describe("imports", () => {
  test("are found (a scan that finds nothing proves nothing)", () => {
    expect(files).toContain("kernel/db/transactions");
    expect(importsOf.get("kernel/db/transactions")?.map(({ target }) => target)).toEqual(
      expect.arrayContaining(["kernel/db/connection", "kernel/errors/errors", "kernel/logs/log"]),
    );
    expect(importsOf.get("kernel/db/connection")?.map(({ target }) => target)).toContain("bun:sqlite");
    const all = [...importsOf.values()].flat().filter(({ isPackage }) => !isPackage);
    const missing = all.map(({ target }) => target).filter((target) => !files.includes(target));
    // Imports that aren't TypeScript: SQL, the version, the demo's track, the base map, the binary messages.
    expect(missing.filter((target) => !/\.(sql|json|gz|pmtiles|proto|css|js|svg)$/.test(target))).toEqual([]);
  });

  test("of the kernel reach no domain, and of the program only the configuration", () => {
    expect(
      broken(
        isKernel,
        ({ target, isPackage }) =>
          isPackage || isKernel(target) || isGround(target) || target.endsWith(".sql"),
      ),
    ).toEqual([]);
  });

  test("of a table reach only tables, and pure modules such as a list of states", () => {
    expect(
      broken(isTable, ({ target, isPackage }) => isPackage || isTable(target) || isPure(target)),
    ).toEqual([]);
  });

  test("of a schema reach only the kernel, other schemas and pure modules", () => {
    expect(
      broken(
        isSchema,
        ({ target, isPackage }) => isPackage || isKernel(target) || isSchema(target) || isPure(target),
      ),
    ).toEqual([]);
  });

  test("of a service, and of what a service is made of, reach no door, no guard and no Elysia", () => {
    const isInside = (file: string) =>
      isDomain(file) && !isDoor(file) && !isGuard(file) && !file.startsWith("docs/");
    expect(files.filter(isInside).filter(isService).length).toBeGreaterThan(5);
    expect(
      broken(isInside, ({ target, isPackage }) =>
        isPackage ? !isElysia(target) : !isDoor(target) && !isGuard(target),
      ),
    ).toEqual([]);
  });

  test("of a door reach no table and no SQL: from a route to the database there are two hops", () => {
    expect(files.filter(isDoor).length).toBeGreaterThan(5);
    expect(broken(isDoor, ({ target }) => !isTable(target) && !isSql(target))).toEqual([]);
  });

  test("of a door come from app alone (GraphQL's own files may import each other)", () => {
    const sameFolder = (file: string, target: string) => dirname(file) === dirname(target);
    expect(
      broken(
        (file) => file !== "app",
        ({ target }, file) => !isDoor(target) || (file.startsWith("graphql/") && sameFolder(file, target)),
      ),
    ).toEqual([]);
  });

  test("of Elysia stay at the doors, in the guard, in kernel/http, in app and serve, and in the document", () => {
    const isHome = (file: string) =>
      isDoor(file) || isGuard(file) || ["kernel/http/http", "app", "serve", "docs/document"].includes(file);
    expect(
      broken(
        (file) => !isHome(file),
        ({ target }) => !isElysia(target),
      ),
    ).toEqual([]);
  });

  test("of TypeBox come through kernel/http/schema, so that there is one vocabulary", () => {
    expect(
      broken(
        (file) => !isKernel(file),
        ({ target, typeOnly }) => typeOnly || !target.startsWith("@sinclair/typebox"),
      ),
    ).toEqual([]);
  });

  test("go down from room to room, never up: no two rooms know each other", () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !ROOMS.includes(room))).toEqual([]);
    const heightOf = (file: string) => ROOMS.indexOf(roomOf(file));
    expect(
      broken(
        () => true,
        ({ target, isPackage }, file) =>
          isPackage ||
          isOutsideTheOrder(target) ||
          !/(^|\/)[\w-]+$/.test(target) ||
          heightOf(target) <= heightOf(file),
      ),
    ).toEqual([]);
  });

  test("form no cycle at run time", () => {
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, path: string[]) => {
      const at = path.indexOf(file);
      if (at !== -1) cycles.push([...path.slice(at), file].join(" → "));
      if (at !== -1 || done.has(file)) return;
      for (const { target, isPackage, typeOnly } of importsOf.get(file) ?? [])
        if (!isPackage && !typeOnly) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test("that are excepted above are still there", () => {
    const stale = EXCEPTIONS.filter(
      ({ from, to }) => !importsOf.get(from)?.some(({ target }) => target === to),
    );
    expect(stale).toEqual([]);
  });
});
