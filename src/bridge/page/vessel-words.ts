/** Types and states of vessels in the reader's language: the API has them in the English words of ITU-R M.1371. */

const GERMAN: Readonly<Record<string, string>> = {
  Unknown: "unbekannt",
  Reserved: "sonstiges",
  "Under way using engine": "in Fahrt unter Motor",
  "At anchor": "vor Anker",
  "Not under command": "manövrierunfähig",
  "Restricted manoeuvrability": "manövrierbehindert",
  "Constrained by her draught": "tiefgangbehindert",
  Moored: "festgemacht",
  Aground: "auf Grund",
  "Engaged in fishing": "fischend",
  "Under way sailing": "in Fahrt unter Segel",
  "Reserved (HSC)": "sonstiges (HSC)",
  "Reserved (WIG)": "sonstiges (WIG)",
  "Power-driven vessel towing astern (regional)": "schleppend (regional)",
  "Power-driven vessel pushing ahead or towing alongside (regional)":
    "schiebend oder längsseits schleppend (regional)",
  "AIS-SART active": "AIS-SART sendet",
  Fishing: "Fischerei",
  Towing: "Schlepper im Einsatz",
  "Towing, length >200 m or breadth >25 m": "Schleppzug, länger als 200 m oder breiter als 25 m",
  "Dredging or underwater ops": "Bagger oder Unterwasserarbeiten",
  "Diving ops": "Taucharbeiten",
  "Military ops": "Militär",
  Sailing: "Segelboot",
  "Pleasure craft": "Sportboot",
  "Pilot vessel": "Lotse",
  "Search and rescue": "Seenotrettung",
  Tug: "Schlepper",
  "Port tender": "Hafenboot",
  "Anti-pollution equipment": "Umweltschutz",
  "Law enforcement": "Polizei oder Zoll",
  "Spare, local vessel": "örtliches Fahrzeug",
  "Medical transport": "Krankentransport",
  "Noncombatant ship (RR Resolution 18)": "Schiff eines neutralen Staates",
  "Wing in ground": "Bodeneffektfahrzeug",
  "High speed craft": "Schnellfähre",
  Passenger: "Fahrgastschiff",
  Cargo: "Frachter",
  Tanker: "Tanker",
  "Other type": "anderer Art",
};

const CARGO = /, (?:hazardous category ([A-D])|no additional information|reserved)$/;

/** A label of the API in the reader's language. What a cargo's digit leaves open isn't told. */
export function vesselWords(label: string, locale: "en" | "de"): string {
  const [suffix = "", category] = CARGO.exec(label) ?? [];
  const isGerman = locale === "de";
  const bare = label.slice(0, label.length - suffix.length);
  const words = isGerman ? (GERMAN[bare] ?? bare) : bare;
  if (category === undefined) return words;
  return `${words}, ${isGerman ? "Gefahrgut" : "hazardous cargo"} ${category}`;
}
