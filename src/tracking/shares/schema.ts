import { SHARE_LEVELS } from "../../identity/access/share-levels";
import { dateTime, nullable, oneOf, optional, out, record, t, uuid } from "../../kernel/http/schema";

export const ShareLevel = oneOf(
  SHARE_LEVELS,
  "`now` shows the newest position and the state of the device; `history` its track, timeline, statistics, trips and crossings of zones too; `manage` also lets change it, with its trackers, anchor watch and shares",
  "history",
);

export const DeviceShare = record(
  "DeviceShare",
  {
    device_id: out.uuid("The device"),
    user_id: out.uuid("The user who sees it"),
    username: out.string("User name of the one who sees it", "anna"),
    level: ShareLevel,
    expires_at: nullable(out.time("When it ends; null for never")),
    made_by: nullable(out.uuid("The user who shares it; null for a key of the installation")),
    is_silent: out.boolean(
      "Whether it shows nothing, because whoever shares it may not see or share so much any more",
      false,
    ),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A device that a user sees without the permission to see all",
);
export type DeviceShare = (typeof DeviceShare)["static"];

export const ShareParams = t.Object({
  id: uuid("Identifier of the device"),
  user_id: uuid("Identifier of the user who is to see it"),
});

export const NewShare = t.Object(
  {
    level: ShareLevel,
    expires_at: optional(dateTime("When it ends, in the future; null or left out for never")),
  },
  { title: "NewShare", examples: [{ level: "history", expires_at: "2027-01-01T00:00:00Z" }] },
);
export type NewShare = (typeof NewShare)["static"];
