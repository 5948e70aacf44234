import type { Table } from "./table";

/** Refusals whose own words are for programs, as a reader of the page understands them. */

export const ENGLISH: Table = {
  fields: {
    base_url: "The address of the server",
    chat_id: "The chat",
    current_password: "The current password",
    device_ids: "The devices",
    expires_at: "The end",
    new_password: "The new password",
    target_ids: "The targets",
    warning_radius_m: "The warning radius",
  },
  faults: {
    "was not accepted": "was not accepted. Try again",
    "must be smaller than radius_m": "must be smaller than the radius",
  },
  faultPatterns: [
    [/^must be a string of (.+?)(?:, or null)?$/, "must have $1"],
    [/^must be an array of (.+?) items(?:, or null)?$/, "must have $1 entries"],
    [/^(must be a .*), or null$/, "$1"],
  ],
  messages: {
    "The set-up has expired; start again with POST /v1/users/me/2fa/setup":
      "The set-up took too long. Begin it again.",
    "There is no set-up to complete; start with POST /v1/users/me/2fa/setup":
      "The set-up was broken off. Begin it again.",
    "Another device has this external_id": "Another device has this identifier.",
    "The device has sent no position yet: give latitude and longitude of the anchor":
      "The device has sent no position yet. Say where the anchor is.",
    "The passkey was not accepted; ask for a new challenge":
      "The passkey was not accepted. Try again, or choose another way.",
    "At least one field is required": "Nothing was changed.",
    "either these or a trip_id must be given": "Choose at least one device.",
  },
  messagePatterns: [
    [
      /^Line (\d+): (.+?)\. Until there: positions (\d+), .*$/,
      "The file can't be read from line $1 on. What comes before is imported: $3 positions. ($2)",
    ],
    [
      /^This needs a sign-in of the last (\d+) minutes: sign in again .*$/,
      "This needs a sign-in of the last $1 minutes: sign out, and in again.",
    ],
    [
      /^This needs the permission (\S+)$/,
      "Your account may not do this: it lacks the permission $1. Ask an administrator for it.",
    ],
  ],
};
