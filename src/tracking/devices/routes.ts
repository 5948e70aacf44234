import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { Device, DeviceChange, NewDevice } from "./schema";
import { createDevice, deleteDevice, getDevice, listDevices, updateDevice } from "./service";

const path = "/v1/devices";
const DEFAULT_LIMIT = 10;

export const deviceRoutes = new Elysia({ prefix: path, tags: ["Devices"] })
  .use(guard)
  .get(
    "",
    ({ query, request, visible }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listDevices(asked, visible), request);
    },
    {
      access: { requires: "devices:read", orShare: "now" },
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("DevicePage", Device) },
      detail: { operationId: "listDevices", summary: "List devices", description: "Devices, newest first." },
    },
  )
  .get("/:id", ({ params }) => single(getDevice(params.id), `${path}/${params.id}`), {
    access: { requires: "devices:read", orShare: "now" },
    params: IdParams,
    response: { 200: Single(Device), ...errors(404) },
    detail: {
      operationId: "getDevice",
      summary: "Get a device",
      description: "One device by its identifier.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const device = await createDevice(actor, body);
      set.status = 201;
      return single(device, `${path}/${device.id}`);
    },
    {
      access: "devices:write",
      body: NewDevice,
      response: { 201: Single(Device), ...errors(409) },
      detail: {
        operationId: "createDevice",
        summary: "Create a device",
        description:
          "Creates a device. With `api_key_id`, that key posts its positions from now on: only the key's owner, a system key or a super admin may link it (403), and whatever the key was linked to is unlinked. There are at most 2,000 devices, and no two with one `external_id` (409).",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateDevice(actor, params.id, body), `${path}/${params.id}`),
    {
      access: { requires: "devices:write", orShare: "manage" },
      params: IdParams,
      body: DeviceChange,
      response: { 200: Single(Device), ...errors(404, 409) },
      detail: {
        operationId: "changeDevice",
        summary: "Change a device",
        description:
          "Changes the fields that are sent; at least one is required, and null clears an optional one. `api_key_id` links another key, null unlinks the current one. Another device's `external_id` is 409. Whoever manages the device by a share alone may change neither `external_id` nor `api_key_id` (403). A device that belongs to a box is changed aboard (409 `OwnedByBox`).",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteDevice(actor, params.id);
      set.status = 204;
    },
    {
      access: "devices:delete",
      params: IdParams,
      response: { 204: NoContent, ...errors(404, 409) },
      detail: {
        operationId: "deleteDevice",
        summary: "Delete a device",
        description:
          "Its positions, trips and templates stay, with `device_id` null; its trackers end. 409 `OwnedByBox` for what belongs to a box.",
      },
    },
  );
