import type { Bilingual } from "../values/bilingual";

/** Words for a connection that fails, as what "it", the other side, does. */

const CUT = { en: "the connection is cut", de: "die Verbindung ist abgebrochen" };
const LATE = { en: "it does not answer in time", de: "die Antwort kommt nicht rechtzeitig" };

const WORDS: Record<string, Bilingual> = {
  ECONNREFUSED: { en: "the connection is refused", de: "die Verbindung wird abgelehnt" },
  ECONNRESET: CUT,
  EPIPE: CUT,
  ENOTFOUND: { en: "its name does not resolve", de: "der Name lässt sich nicht auflösen" },
  EAI_AGAIN: { en: "its name cannot be resolved now", de: "der Name lässt sich gerade nicht auflösen" },
  ENETUNREACH: { en: "the network cannot be reached", de: "das Netz ist nicht erreichbar" },
  EHOSTUNREACH: { en: "the host cannot be reached", de: "der Rechner ist nicht erreichbar" },
  ETIMEDOUT: LATE,
  TimeoutError: LATE,
  AbortError: LATE,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    en: "its certificate is for another name",
    de: "das Zertifikat gilt für einen anderen Namen",
  },
  CERT_HAS_EXPIRED: { en: "its certificate has expired", de: "das Zertifikat ist abgelaufen" },
};

/** Codes of certificates that nobody vouches for. */
const CERTIFICATE = /CERT|ISSUER|SELF_SIGNED|LEAF_SIGNATURE/;

/** The words for the code of an error of the system or of TLS; a code that nobody knows is quoted only if it is one word. */
export function wordsOfNetwork(code: string): Bilingual {
  const known = WORDS[code];
  if (known !== undefined) return known;
  if (CERTIFICATE.test(code))
    return {
      en: `its certificate cannot be verified (${code}); NODE_EXTRA_CA_CERTS names an authority of your own`,
      de: `das Zertifikat lässt sich nicht prüfen (${code}); NODE_EXTRA_CA_CERTS nennt eine eigene Zertifizierungsstelle`,
    };
  const quoted = /^[A-Za-z0-9_]{1,64}$/.test(code) ? ` (${code})` : "";
  return { en: `it cannot be reached${quoted}`, de: `nicht erreichbar${quoted}` };
}
