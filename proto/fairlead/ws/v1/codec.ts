import protobuf from "protobufjs";
import { toSnakeCase } from "../../../../src/kernel/values/case";
import { lazy } from "../../../../src/kernel/values/lazy";
import definition from "./ws.proto" with { type: "text" };

/**
 * Binary messages: every binary frame is one `WsEnvelope` of proto/fairlead/ws/v1/ws.proto, which is parsed when the first
 * frame needs it, so that names and numbers are stated in that file alone.
 */

/** A `google.protobuf.Timestamp`. */
export interface Timestamp {
  seconds: number;
  nanos: number;
}

/** The payloads, by their name in the envelope. A `null` field is left out when sending. */
export interface Payloads {
  ping: object;
  pong: object;
  subscribe: { channel: string; extended?: boolean | null };
  unsubscribe: { channel: string };
  error: { message: string };
  accountDeleted: { userId: string; reason?: string | null; timestamp: Timestamp };
  accountBanned: {
    userId: string;
    reason?: string | null;
    expiresAt?: Timestamp | null;
    isPermanent: boolean;
    timestamp: Timestamp;
  };
  sessionRevoked: { userId: string; sessionId: string; reason?: string | null; timestamp: Timestamp };
  forceLogout: { userId: string; reason?: string | null; timestamp: Timestamp };
  oauthConsentRevoked: { userId: string; clientId: string; timestamp: Timestamp };
  rolesUpdated: { userId: string; roles: string[]; roleIds: string[]; timestamp: Timestamp };
  permissionsUpdated: { userId: string; permissions: string[]; timestamp: Timestamp };
  rolePermissionsChanged: { roleId: string; roleName: string; timestamp: Timestamp };
  emailLinkVerified: { userId: string; email: string; platformAccountId: string; timestamp: Timestamp };
  emailChangeVerified: { userId: string; email: string; timestamp: Timestamp };
  gpsUpdate: object;
  discordUserLinked: {
    discordId: string;
    userId: string;
    discordUsername: string;
    avatarUrl?: string | null;
    timestamp: Timestamp;
  };
  discordUserUnlinked: { discordId: string; userId: string; timestamp: Timestamp };
  discordPermissionChanged: {
    discordId: string;
    userId: string;
    permissions: string[];
    timestamp: Timestamp;
  };
  createAuditEvent: CreateAuditEvent;
  createAuditEventResponse: { success: boolean; auditEventId?: string | null; error?: string | null };
  communitySyncRequest: { requestId: string; guildId?: string | null; scope: number };
  communitySyncResponse: CommunitySyncResponse;
  communitySettingsRequest: { guildId?: string | null };
  communitySettings: CommunitySettings;
  moderationEvent: ModerationEvent;
  moderationEventResponse: {
    requestId: string;
    success: boolean;
    auditEventId?: string | null;
    error?: string | null;
  };
}

/** A client's message: absent optional fields are null, other absent fields empty. */
export interface CreateAuditEvent {
  userId: string;
  eventType: string;
  resourceType: string | null;
  resourceId: string | null;
  actorId: string | null;
  ipAddress: string | null;
  userAgent: string | null;
  description: string | null;
  metadataJson: string | null;
  status: string | null;
  errorMessage: string | null;
  sourceService: string | null;
}

export interface CommunityGuild {
  guildId: string;
  name: string;
  icon: string | null;
  ownerId: string;
  memberCount: number;
  boostCount: number;
  premiumTier: number;
  botJoinedAt: Timestamp | null;
}

export interface CommunityChannel {
  channelId: string;
  guildId: string;
  name: string;
  channelType: number;
  parentId: string | null;
  position: number;
  topic: string | null;
  nsfw: boolean;
}

export interface CommunityRole {
  roleId: string;
  guildId: string;
  name: string;
  color: number;
  position: number;
  permissions: string;
  managed: boolean;
}

export interface CommunityMember {
  guildId: string;
  userId: string;
  username: string;
  discriminator: string | null;
  globalName: string | null;
  nickname: string | null;
  avatar: string | null;
  bot: boolean;
  system: boolean;
  joinedAt: Timestamp | null;
  premiumSince: Timestamp | null;
  deaf: boolean;
  mute: boolean;
  pending: boolean;
  communicationDisabledUntil: Timestamp | null;
  roles: string[];
}

export interface CommunitySyncResponse {
  requestId: string;
  success: boolean;
  error: string | null;
  guilds: CommunityGuild[];
  channels: CommunityChannel[];
  roles: CommunityRole[];
  members: CommunityMember[];
  more: boolean;
}

export interface CommunitySettings {
  guildId?: string | null;
  autoSyncEnabled: boolean;
  syncIntervalSeconds: number;
  initialDelaySeconds: number;
  defaultLanguage?: string | null;
  notifyOnGuildJoin: boolean;
  notifyOnGuildLeave: boolean;
  commandCooldownSeconds: number;
  updatedAt: Timestamp;
}

export interface ModerationEvent {
  requestId: string;
  guildId: string;
  userId: string;
  moderatorId: string;
  action: string;
  reason: string | null;
  durationSeconds: number | null;
  timestamp: Timestamp | null;
}

export type PayloadName = keyof Payloads;

/** A payload with its name. */
export type Message = { [Name in PayloadName]: { name: Name; payload: Payloads[Name] } }[PayloadName];

// 64-bit integers are JavaScript numbers: exact to 2^53, beyond any time or duration used here.
protobuf.util.Long = undefined as unknown as typeof protobuf.util.Long;
protobuf.configure();

const PACKAGE = "fairlead.ws.v1";

/** The envelope's type, and the numbers of its messages' types. */
const schema = lazy(() => {
  const root = new protobuf.Root();
  root.addJSON(protobuf.common.get("google/protobuf/timestamp.proto")?.nested ?? {});
  protobuf.parse(definition, root);
  const Envelope = root.lookupType(`${PACKAGE}.WsEnvelope`);
  for (const field of Envelope.fieldsArray) field.resolve();
  return {
    Envelope,
    types: root.lookupEnum(`${PACKAGE}.WsMessageType`).values,
  };
});

/** `accountDeleted` has the type ACCOUNT_DELETED. */
export const typeOf = (name: string): number => schema().types[toSnakeCase(name).toUpperCase()] ?? 0;

/** A frame with one message. */
export function encode<Name extends PayloadName>(
  name: Name,
  payload: Payloads[Name],
): Uint8Array<ArrayBuffer> {
  const fields = Object.entries(payload)
    .filter(([, value]) => value !== null && value !== undefined)
    // A text that was cut may end in half a character, which UTF-8 can't hold: readers would refuse the whole
    // frame.
    .map(([key, value]) => [key, typeof value === "string" ? value.toWellFormed() : value]);
  const envelope = { type: typeOf(name), [name]: Object.fromEntries(fields) };
  const { Envelope } = schema();
  return new Uint8Array(Envelope.encode(Envelope.fromObject(envelope)).finish());
}

/** The head of a frame, read from its tags alone (envelope.ts). */
export interface Head {
  /** The payload, by its name in the envelope. */
  name: PayloadName;
  /** The payload's bytes. */
  bytes: Uint8Array;
}

/** The type of a payload's message. Each payload is one. */
const payloadType = (name: PayloadName) => schema().Envelope.fields[name]?.resolvedType as protobuf.Type;

/** The payloads by their number in the envelope. */
export const payloadNumbers = lazy(() => {
  const { Envelope } = schema();
  const payloads = Object.keys(Envelope.fields).filter((name) => name !== "type") as PayloadName[];
  return new Map(payloads.map((name) => [Envelope.fields[name]?.id ?? 0, name]));
});

/** The number of a payload's field. */
export const fieldNumber = (payload: PayloadName, field: string): number =>
  payloadType(payload).fields[field]?.id ?? 0;

/** The message in a frame. Throws if the bytes can't be decoded. */
export function decode({ name, bytes }: Head): Message {
  const type = payloadType(name);
  return { name, payload: plain(type, type.decode(bytes)) } as Message;
}

/** The conversion of a type's messages to plain objects. */
interface Shape {
  /**
   * Values of fields that the frame left out: null for optional ones and messages, the empty value for the
   * others.
   */
  empty: Record<string, unknown>;
  /** The fields that are messages themselves. */
  inner: { name: string; type: protobuf.Type }[];
}

/** Made once for each type: a frame may hold thousands of messages. */
const shapes = new Map<protobuf.Type, Shape>();

function shapeOf(type: protobuf.Type): Shape {
  let shape = shapes.get(type);
  if (!shape) {
    const fields = type.fieldsArray.map((field) => field.resolve());
    shape = {
      // The library keeps these on the prototype of its messages.
      empty: Object.fromEntries(fields.map(({ name, defaultValue }) => [name, defaultValue])),
      inner: fields.flatMap(({ name, resolvedType }) =>
        resolvedType instanceof protobuf.Type ? [{ name, type: resolvedType }] : [],
      ),
    };
    shapes.set(type, shape);
  }
  return shape;
}

/** A message as a plain object with all its fields. */
function plain(type: protobuf.Type, message: unknown): object {
  const { empty, inner } = shapeOf(type);
  const complete = { ...empty, ...(message as object) };
  for (const { name, type: innerType } of inner) {
    const value = complete[name];
    if (Array.isArray(value)) complete[name] = value.map((item) => plain(innerType, item));
    else if (value !== null) complete[name] = plain(innerType, value);
  }
  return complete;
}

// --- Times --------------------------------------------------------------------------------------------------

/** From epoch milliseconds. */
export function toTimestamp(milliseconds: number): Timestamp {
  const seconds = Math.floor(milliseconds / 1_000);
  return { seconds, nanos: (milliseconds - seconds * 1_000) * 1_000_000 };
}

/** Epoch milliseconds; null for null, for invalid nanoseconds and for a time that no date can hold. */
export function fromTimestamp(timestamp: Timestamp | null): number | null {
  if (timestamp === null || timestamp.nanos < 0 || timestamp.nanos >= 1_000_000_000) return null;
  const milliseconds = timestamp.seconds * 1_000 + Math.floor(timestamp.nanos / 1_000_000);
  return Math.abs(milliseconds) <= 8_640_000_000_000_000 ? milliseconds : null;
}
