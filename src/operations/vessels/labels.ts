/**
 * The meanings of the codes of ITU-R M.1371-5, Annex 8: navigational status (messages 1 to 3) and type of
 * ship (message 5).
 */

const UNKNOWN = "Unknown";

const NAV_STATUS = [
  "Under way using engine",
  "At anchor",
  "Not under command",
  "Restricted manoeuvrability",
  "Constrained by her draught",
  "Moored",
  "Aground",
  "Engaged in fishing",
  "Under way sailing",
  "Reserved (HSC)",
  "Reserved (WIG)",
  "Power-driven vessel towing astern (regional)",
  "Power-driven vessel pushing ahead or towing alongside (regional)",
  "Reserved",
  "AIS-SART active",
];

export const navStatusLabel = (code: number | null): string =>
  code === null ? UNKNOWN : (NAV_STATUS[code] ?? UNKNOWN);

/** Types 30 to 39 and 50 to 59, each of its own. */
const SINGLE: Record<number, string> = {
  30: "Fishing",
  31: "Towing",
  32: "Towing, length >200 m or breadth >25 m",
  33: "Dredging or underwater ops",
  34: "Diving ops",
  35: "Military ops",
  36: "Sailing",
  37: "Pleasure craft",
  38: "Reserved",
  39: "Reserved",
  50: "Pilot vessel",
  51: "Search and rescue",
  52: "Tug",
  53: "Port tender",
  54: "Anti-pollution equipment",
  55: "Law enforcement",
  56: "Spare, local vessel",
  57: "Spare, local vessel",
  58: "Medical transport",
  59: "Noncombatant ship (RR Resolution 18)",
};

/** Meanings of the first digit, for types whose second one describes the cargo. */
const GROUPS: Record<number, string> = {
  2: "Wing in ground",
  4: "High speed craft",
  6: "Passenger",
  7: "Cargo",
  8: "Tanker",
  9: "Other type",
};

/** The meaning of the second digit; 0 means all ships of the type. */
function cargo(code: number): string {
  const digit = code % 10;
  if (digit === 0) return "";
  if (digit <= 4) return `, hazardous category ${"ABCD"[digit - 1]}`;
  return digit === 9 && code !== 29 ? ", no additional information" : ", reserved";
}

/** The label of a type from 1 to 99. */
export function shipTypeLabel(code: number | null): string {
  if (code === null) return UNKNOWN;
  const group = GROUPS[Math.floor(code / 10)];
  if (group !== undefined) return group + cargo(code);
  return SINGLE[code] ?? "Reserved";
}
