/**
 * `bun run generate:client`: writes the types of the messages from the OpenAPI document, which holds the messages of the WebSocket
 * too. The rest of the document is left out.
 */
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
export const TARGET = join(import.meta.dir, "src/document.gen.ts");

/** The messages of the socket and the answers of `GET /v1/changes`; whatever they refer to comes with them. */
export const WANTED = [
  ...["SocketSubscribe", "SocketUnsubscribe", "SocketPing", "SocketPong", "SocketNotice", "SocketError"],
  ...["SocketReset", "SocketGpsUpdate", "SocketGpsLate", "SocketGeofenceEvent", "SocketGeofenceCorrection"],
  ...["SocketTripUpdate", "SocketDeviceUpdate", "SocketAlertRaised", "SocketAlertUpdated"],
  ...["SocketAlertAcknowledged", "SocketAlertCleared", "SocketAnchorUpdate", "SocketVesselsUpdate"],
  ...["SocketAccountDeleted", "SocketAccountBanned", "SocketSessionRevoked", "SocketForceLogout"],
  ...["SocketPermissionsUpdated", "SocketRolesUpdated", "SocketRolePermissionsChanged"],
  ...["SocketEmailLinkVerified", "SocketEmailChangeVerified", "SocketOAuthConsentRevoked"],
  ...["Changes", "CursorExpiredBody"],
];

interface Document {
  openapi: string;
  info: object;
  components: { schemas: Record<string, object> };
}

/** The wanted schemas of a document, with those that they refer to. */
function schemasOf({ components: { schemas } }: Document): Record<string, object> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const schema = schemas[name];
    if (!schema) throw new Error(`the document has no schema ${name}`);
    if (found.has(name)) return;
    found.add(name);
    for (const [, referred = ""] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      visit(referred);
  };
  WANTED.forEach(visit);
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name] as object]));
}

/** The types, as TypeScript. */
export async function generate(): Promise<string> {
  const program = Bun.spawn([process.execPath, "src/main.ts", "openapi"], { cwd: ROOT, stdout: "pipe" });
  const document = (await new Response(program.stdout).json()) as Document;
  // openapi-typescript writes with the compiler's API, which version 7 of the compiler doesn't have.
  Bun.plugin({
    name: "typescript 5",
    setup: (build) =>
      void build.module("typescript", async () => ({
        exports: { ...(await import("typescript-5")) },
        loader: "object",
      })),
  });
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const feed = {
    openapi: document.openapi,
    info: document.info,
    paths: {},
    components: { schemas: schemasOf(document) },
  };
  const types = astToString(await openapiTS(JSON.stringify(feed)));
  return `// Written by \`bun run generate:client\`. Do not edit.\n\n${types}`;
}

if (import.meta.main) await Bun.write(TARGET, await generate());
