/** Client types: only a confidential client can keep a secret (RFC 6749, section 2.1). */
export const CLIENT_TYPES = ["confidential", "public"] as const;
