import { createHash, randomBytes } from "node:crypto";

/**
 * An authenticator in software, written after WebAuthn Level 3 (sections 5.8.1, 6.1 and 6.5) and CTAP 2.1's CBOR, so that
 * nothing is shared with the server. Each answer can be spoiled in the way that a test wants.
 */

const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

// --- CBOR (RFC 8949) --------------------------------------------------------------------------------------

type Cbor = number | string | Uint8Array | Map<number | string, Cbor>;

function head(major: number, length: number): Buffer {
  const lead = major << 5;
  if (length < 24) return Buffer.from([lead | length]);
  if (length < 0x100) return Buffer.from([lead | 24, length]);
  const long = Buffer.alloc(3, lead | 25);
  long.writeUInt16BE(length, 1);
  return long;
}

/** A value in CBOR: whole numbers of up to 16 bits, texts, bytes and maps. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([
    head(5, value.size),
    ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each)]),
  ]);
}

// --- The authenticator ------------------------------------------------------------------------------------

const FLAGS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40 };

/** The points in which an answer differs from a right one. */
export interface Spoiled {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  /** False for a user who wasn't verified, or wasn't there. */
  isVerified?: boolean;
  isPresent?: boolean;
  /** The counter that is told. */
  counter?: number;
  /** Another handle; null for none. */
  userHandle?: string | null;
  /** Signs with a key of somebody else. */
  foreignKey?: boolean;
  /** Identifier of another credential. */
  id?: string;
  crossOrigin?: boolean;
  /** Format of the attestation. */
  format?: string;
}

export interface RequestJson {
  challenge: string;
  rpId: string;
}

export interface CreationJson {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

const newKeys = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);

/** An ES256 signature in DER, as authenticators make it (section 6.5.5). */
async function sign(keys: CryptoKeyPair, data: Uint8Array): Promise<Buffer> {
  const raw = Buffer.from(
    await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, keys.privateKey, new Uint8Array(data)),
  );
  const integer = (part: Buffer): Buffer => {
    let start = 0;
    while (start < part.length - 1 && part[start] === 0) start++;
    const bytes = part.subarray(start);
    const padded = (bytes[0] as number) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
    return Buffer.concat([Buffer.from([2, padded.length]), padded]);
  };
  const body = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

export class Authenticator {
  readonly id: string = text(randomBytes(32));
  userHandle = "";
  counter = 0;
  /** Grows with each signature; false for one that counts nothing, as those that are copied to other devices. */
  #counts: boolean;
  #isCopied: boolean;
  #aaguid: string;
  #keys: CryptoKeyPair | undefined;

  /** `origin` is that of the page that asks it. */
  constructor(
    readonly origin: string,
    { counts = true, isCopied = false, aaguid = "00000000-0000-0000-0000-000000000000" } = {},
  ) {
    this.#counts = counts;
    this.#isCopied = isCopied;
    this.#aaguid = aaguid;
  }

  #clientData(type: string, challenge: string, spoiled: Spoiled): string {
    const { crossOrigin = false } = spoiled;
    return JSON.stringify({
      type: spoiled.type ?? type,
      challenge: spoiled.challenge ?? challenge,
      origin: spoiled.origin ?? this.origin,
      crossOrigin,
      ...(crossOrigin && { topOrigin: "https://elsewhere.example" }),
    });
  }

  #data(rpId: string, spoiled: Spoiled, more = 0): Buffer {
    const { isVerified = true, isPresent = true } = spoiled;
    const copied = this.#isCopied ? FLAGS.be | FLAGS.bs : 0;
    const flags = (isPresent ? FLAGS.up : 0) | (isVerified ? FLAGS.uv : 0) | copied | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(spoiled.counter ?? this.counter);
    return Buffer.concat([sha256(spoiled.rpId ?? rpId), Buffer.from([flags]), counter]);
  }

  /** Makes the credential: the answer to `navigator.credentials.create()`. */
  async create(options: CreationJson, spoiled: Spoiled = {}) {
    this.#keys ??= await newKeys();
    this.userHandle = options.user.id;
    const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", this.#keys.publicKey);
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const data = Buffer.concat([
      this.#data(options.rp.id, spoiled, FLAGS.at),
      Buffer.from(this.#aaguid.replaceAll("-", ""), "hex"),
      ...[length, id, cbor(key)],
    ]);
    const attestation = new Map<string, Cbor>([
      ["fmt", spoiled.format ?? "none"],
      ["attStmt", new Map()],
      ["authData", data],
    ]);
    const client = this.#clientData("webauthn.create", options.challenge, spoiled);
    return {
      ...{ id: spoiled.id ?? this.id, rawId: this.id, type: "public-key", clientExtensionResults: {} },
      response: {
        clientDataJSON: text(Buffer.from(client)),
        attestationObject: text(cbor(attestation)),
        transports: ["internal", "hybrid"],
      },
    };
  }

  /** Signs: the answer to `navigator.credentials.get()`. */
  async get(options: RequestJson, spoiled: Spoiled = {}) {
    if (!this.#keys) throw new Error("the authenticator has no credential yet");
    if (this.#counts) this.counter++;
    const data = this.#data(options.rpId, spoiled);
    const client = Buffer.from(this.#clientData("webauthn.get", options.challenge, spoiled));
    const keys = spoiled.foreignKey ? await newKeys() : this.#keys;
    const handle = spoiled.userHandle === undefined ? this.userHandle : spoiled.userHandle;
    return {
      ...{ id: spoiled.id ?? this.id, rawId: this.id, type: "public-key", clientExtensionResults: {} },
      response: {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(await sign(keys, Buffer.concat([data, sha256(client)]))),
        ...(handle !== null && { userHandle: handle }),
      },
    };
  }
}
