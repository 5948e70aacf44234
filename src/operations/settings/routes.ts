import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, List, NoContent, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { ListQuery, list } from "../../kernel/http/lists";
import { query } from "../../kernel/http/schema";
import { KeyParams, NewSetting, PublicSetting, Setting, SettingReplacement } from "./schema";
import {
  allSettings,
  createSetting,
  deleteSetting,
  getSetting,
  publicSettings,
  replaceSetting,
} from "./service";

const path = "/v1/settings";

export const settingRoutes = new Elysia({ prefix: path, tags: ["System settings"] })
  .use(guard)
  .get("", ({ query, request }) => list(path, query, allSettings, request), {
    access: "settings:read",
    ...query(ListQuery),
    response: { 200: List("SettingListing", Setting) },
    detail: {
      operationId: "listSystemSettings",
      summary: "List system settings",
      description: "All settings, newest first.",
    },
  })
  .get("/public", ({ query, request }) => list(`${path}/public`, query, publicSettings, request), {
    open: true,
    ...query(ListQuery),
    response: { 200: List("PublicSettingListing", PublicSetting) },
    detail: {
      operationId: "listPublicSettings",
      summary: "List public settings",
      description: "The settings that are marked as public, newest first.",
    },
  })
  .get("/:key", ({ params }) => single(getSetting(params.key), `${path}/${params.key}`), {
    access: "settings:read",
    params: KeyParams,
    response: { 200: Single(Setting), ...errors(404) },
    detail: {
      operationId: "getSystemSetting",
      summary: "Get a system setting",
      description: "One setting by its key.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const setting = await createSetting(actor, body);
      set.status = 201;
      return single(setting, `${path}/${setting.key}`);
    },
    {
      access: "settings:write",
      body: NewSetting,
      response: { 201: Single(Setting), ...errors(409) },
      detail: {
        operationId: "createSystemSetting",
        summary: "Create a system setting",
        description:
          "Stores any JSON value under a key. 409 when the key exists, and beyond 1,000 settings or 4 MiB in total.",
      },
    },
  )
  .put(
    "/:key",
    async ({ actor, params, body }) =>
      single(await replaceSetting(actor, params.key, body), `${path}/${params.key}`),
    {
      access: "settings:write",
      params: KeyParams,
      body: SettingReplacement,
      response: { 200: Single(Setting), ...errors(404, 409) },
      detail: {
        operationId: "replaceSystemSetting",
        summary: "Replace a system setting",
        description: "Replaces the value, and whichever of the other fields is sent.",
      },
    },
  )
  .delete(
    "/:key",
    async ({ actor, params, set }) => {
      await deleteSetting(actor, params.key);
      set.status = 204;
    },
    {
      access: "settings:delete",
      params: KeyParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteSystemSetting",
        summary: "Delete a system setting",
        description: "The key can then be used again.",
      },
    },
  );
