import { Elysia } from "elysia";
import { errors, List, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { guard } from "../access/guard";
import {
  ChangedPlatform,
  Platform,
  PlatformParams,
  PlatformSettings,
  PlatformSwitch,
  SwitchedPlatform,
} from "./schema";
import { changePlatform, getPlatform, listEnabledPlatforms, listPlatforms } from "./service";

const path = "/v1/platforms";

export const platformRoutes = new Elysia({ prefix: path, tags: ["Platforms"] })
  .use(guard)
  .get("", () => ({ data: listPlatforms(), _links: { self: path } }), {
    open: true,
    response: { 200: List("PlatformListing", Platform) },
    detail: {
      operationId: "listPlatforms",
      summary: "List platforms",
      description: "All platforms, newest first.",
    },
  })
  .get("/enabled", () => ({ data: listEnabledPlatforms(), _links: { self: `${path}/enabled` } }), {
    open: true,
    response: { 200: List("PlatformListing", Platform) },
    detail: {
      operationId: "listEnabledPlatforms",
      summary: "List enabled platforms",
      description: "The platforms that users can sign in through, newest first.",
    },
  })
  .get(
    "/:id_or_slug",
    ({ params }) => single(getPlatform(params.id_or_slug), `${path}/${params.id_or_slug}`),
    {
      open: true,
      params: PlatformParams,
      response: { 200: Single(Platform), ...errors(404) },
      detail: {
        operationId: "getPlatform",
        summary: "Get a platform",
        description: "One platform by its identifier or its slug.",
      },
    },
  )
  .patch(
    "/:id_or_slug/enabled",
    async ({ actor, params, body }) => {
      const { platform } = await changePlatform(actor, params.id_or_slug, body);
      return single(platform, `${path}/${params.id_or_slug}`);
    },
    {
      access: "settings:write",
      params: PlatformParams,
      body: PlatformSwitch,
      response: { 200: Single(SwitchedPlatform), ...errors(404) },
      detail: {
        operationId: "switchPlatformOnOrOff",
        summary: "Switch a platform on or off",
        description:
          "Off, nobody can sign in or register through the platform; its users keep access through their other platforms, and sessions go on.",
      },
    },
  )
  .patch(
    "/:id_or_slug/settings",
    async ({ actor, params, body }) => {
      const { platform, changed } = await changePlatform(actor, params.id_or_slug, body);
      const asked = Object.values(body).some((value) => value !== undefined);
      const message = changed
        ? "The settings were changed"
        : asked
          ? "The settings were like that already"
          : "No changes were requested";
      return { success: true, message, platform };
    },
    {
      access: "settings:write",
      params: PlatformParams,
      body: PlatformSettings,
      response: { 200: ChangedPlatform, ...errors(404) },
      detail: {
        operationId: "changePlatformSettings",
        summary: "Change platform settings",
        description:
          "Changes the fields that are sent, each with an audit event `platform_updated`. If none is sent, the platform is returned unchanged.",
      },
    },
  );
