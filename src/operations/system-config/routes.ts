import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { query, t } from "../../kernel/http/schema";
import { ConfigChange, ConfigEntry, ConfigKeyParams, PrefixQuery } from "./schema";
import { changeConfig, getConfig, listConfig } from "./service";

const path = "/v1/system-config";

export const systemConfigRoutes = new Elysia({ prefix: path, tags: ["System config"] })
  .use(guard)
  .get("", ({ query }) => listConfig(query.prefix), {
    access: "settings:read",
    ...query(PrefixQuery),
    response: { 200: t.Array(ConfigEntry) },
    detail: {
      operationId: "listSystemConfig",
      summary: "List system config",
      description: "All entries, or those whose key begins with `prefix`, by key. There are always the same.",
    },
  })
  .get("/:key", ({ params }) => single(getConfig(params.key), `${path}/${params.key}`), {
    access: "settings:read",
    params: ConfigKeyParams,
    response: { 200: Single(ConfigEntry), ...errors(404) },
    detail: {
      operationId: "getSystemConfigEntry",
      summary: "Get a system config entry",
      description: "One entry by its key.",
    },
  })
  .patch(
    "/:key",
    async ({ actor, params, body }) =>
      single(await changeConfig(actor, params.key, body.value), `${path}/${params.key}`),
    {
      access: "settings:write",
      params: ConfigKeyParams,
      body: ConfigChange,
      response: { 200: Single(ConfigEntry), ...errors(404) },
      detail: {
        operationId: "changeSystemConfigEntry",
        summary: "Change a system config entry",
        description:
          "Takes effect at once, without a restart. 400 for a value that the entry's check refuses: its description says what it is. `audit.retention_days` is for super admins alone; anybody else, system keys too, gets 403.",
      },
    },
  );
