/** Words for a connection that fails, as what "it", the other side, does. */

const WORDS: Record<string, string> = {
  ECONNREFUSED: "the connection is refused",
  ECONNRESET: "the connection is cut",
  EPIPE: "the connection is cut",
  ENOTFOUND: "its name does not resolve",
  EAI_AGAIN: "its name cannot be resolved now",
  ENETUNREACH: "the network cannot be reached",
  EHOSTUNREACH: "the host cannot be reached",
  ETIMEDOUT: "it does not answer in time",
  TimeoutError: "it does not answer in time",
  AbortError: "it does not answer in time",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** Codes of certificates that nobody vouches for. */
const CERTIFICATE = /CERT|ISSUER|SELF_SIGNED|LEAF_SIGNATURE/;

/** The words for the code of an error of the system or of TLS; a code that nobody knows is quoted only if it is one word. */
export function wordsOfNetwork(code: string): string {
  const known = WORDS[code];
  if (known !== undefined) return known;
  if (CERTIFICATE.test(code))
    return `its certificate cannot be verified (${code}); NODE_EXTRA_CA_CERTS names an authority of your own`;
  return /^[A-Za-z0-9_]{1,64}$/.test(code) ? `it cannot be reached (${code})` : "it cannot be reached";
}
