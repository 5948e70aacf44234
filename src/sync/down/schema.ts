import { NewAlertRule } from "../../alerts/rules/schema";
import { out, record, t, uuid } from "../../kernel/http/schema";
import { NewGeofence } from "../../tracking/geofences/schema";
import { MOST_HANDED } from "../owner/schema";

/**
 * The zones and rules that a box is handed, as one set. The shore documents by these schemas what it sends, and the box checks by
 * them what it gets, with the bounds of what people send.
 */

/**
 * The form of a set. A field that changes what a zone or a rule does raises it: a box of an older version, which would leave it out
 * of account, refuses the set.
 */
export const SET_FORM = 1;

const isActive = t.Boolean({ description: "Whether it counts", examples: [true] });

const AssignedZone = t.Object(
  {
    id: uuid("Identifier, the same as ashore"),
    ...t.Required(t.Omit(NewGeofence, ["box_ids"])).properties,
    is_active: isActive,
  },
  { title: "AssignedZone", description: "A zone that the shore hands to a box" },
);
export type AssignedZone = (typeof AssignedZone)["static"];

const AssignedRule = t.Object(
  {
    id: uuid("Identifier, the same as ashore"),
    ...t.Required(
      t.Omit(NewAlertRule, ["target_ids", "escalate_after_seconds", "escalate_target_ids", "box_ids"]),
    ).properties,
  },
  { title: "AssignedRule", description: "An alert rule that the shore hands to a box" },
);
export type AssignedRule = (typeof AssignedRule)["static"];

export const AssignedSet = record(
  "AssignedSet",
  {
    form: out.integer("Form of the set; a box that knows only lower ones refuses it", SET_FORM),
    tag: out.string(
      "Name of this version: another one as soon as anything in it changes",
      "9f86d081884c7d65",
    ),
    version: out.integer("Its version", 3),
    // One set is applied in one transaction, while nothing else goes on aboard.
    zones: t.Array(AssignedZone, { maxItems: MOST_HANDED, description: "All zones that the box is handed" }),
    rules: t.Array(AssignedRule, { maxItems: MOST_HANDED, description: "All alert rules that it is handed" }),
  },
  "The zones and alert rules that the shore hands to a box",
);
export type AssignedSet = (typeof AssignedSet)["static"];
