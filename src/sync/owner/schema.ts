import { nullable, out, t, uuid } from "../../kernel/http/schema";

/** Zones, and rules, of one set at most: a box applies it at once, and it goes over a thin link. */
export const MOST_HANDED = 200;

/** The field that tells whose own a record is. */
export const boxId = (which: string) =>
  nullable(out.uuid(`The box that it belongs to, ${which}; null for one of this server`));

/** The boxes that a zone or a rule is handed to, as an input. */
export const boxIds = (what: "zone" | "rule") =>
  t.Array(uuid("A box"), {
    maxItems: 2_000,
    description: `The boxes that the ${what} is handed to${what === "rule" ? ", with the zones that it names" : ""}, where it can be read and not changed; a change of them needs the permission \`sync:manage\` too`,
    examples: [[]],
  });

/** The fields that tell of the way down. */
export const handed = (what: "zone" | "rule") => ({
  box_ids: boxIds(what),
  is_from_shore: out.boolean(
    `Whether the shore handed the ${what} to this box: it is changed there alone (409 \`OwnedByShore\`)`,
    false,
  ),
});
