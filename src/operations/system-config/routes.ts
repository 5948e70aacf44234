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
      description:
        "All entries, or those whose key begins with `prefix`, sorted by key. The set of entries is fixed.",
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
          "Takes effect at once, without a restart. 400 for a value that the entry does not take: its description says which it does. `audit.retention_days` can be changed by super admins only; anybody else, including system keys, gets 403.",
      },
    },
  );
