import type { TrackerFormat } from "./formats";

/** The values with which an app is set up for a tracker. Pure: instructions say what to do with them. */

export interface Known {
  /** Address of this server, without a slash at its end. */
  base: string;
  token: string;
  /** Name of the device, which apps send along as a label. */
  deviceName: string;
  encryptionKey: string | null;
}

export interface Setup {
  /** Address to enter in the app. */
  url: string;
  username: string | null;
  password: string | null;
  /** The app's own link, where it has one. */
  setup_link: string | null;
}

/** The user name of apps that send none without one; any would do. */
const USERNAME = "fairlead";

/** Address of a door. */
const door = ({ base }: Known, name: string): string => `${base}/v1/ingest/${name}`;

const query = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join("&");

export const setupOf = (format: TrackerFormat, known: Known): Setup => SETUPS[format](known);

const SETUPS: Record<TrackerFormat, (known: Known) => Setup> = {
  owntracks(known) {
    const url = door(known, "owntracks");
    const credentials = { username: USERNAME, password: known.token };
    return { url, ...credentials, setup_link: ownTracksLink(url, credentials, known) };
  },
  traccar_client(known) {
    // The app keeps the path of an address, and loses its query and its user.
    const url = `${door(known, "osmand")}/${known.token}`;
    const link = `org.traccar.client://config?${query({ url, id: labelOf(known.deviceName), ...TRACCAR_CLIENT })}`;
    return { url, ...NO_FIELDS, setup_link: link };
  },
  osmand(known) {
    // A pattern of Java's MessageFormat, in which an apostrophe quotes.
    const address = `${door(known, "osmand")}/${known.token}`.replaceAll("'", "%27");
    return { url: `${address}?${OSMAND}`, ...NO_FIELDS, setup_link: null };
  },
  overland(known) {
    const url = door(known, "overland");
    const device_id = labelOf(known.deviceName);
    const link = `overland://setup?${query({ url, token: known.token, device_id, unique_id: "yes" })}`;
    return { url, ...NO_FIELDS, setup_link: link };
  },
  gpslogger: (known) => ({
    url: `${door(known, "gpslogger")}?${GPSLOGGER}`,
    username: USERNAME,
    password: known.token,
    setup_link: null,
  }),
  traccar_server: (known) => ({ url: door(known, "traccar"), ...NO_FIELDS, setup_link: null }),
  generic: (known) => ({ url: door(known, "generic"), ...NO_FIELDS, setup_link: null }),
};

const NO_FIELDS = { username: null, password: null };

/** OsmAnd's placeholders: `hdop` is the accuracy in metres there, and `{2}` milliseconds. */
const OSMAND = "lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&bearing={6}&batt={11}";

/** GPSLogger's placeholders; the speed is metres a second. */
const GPSLOGGER = [
  "lat=%LAT&lon=%LON&timestamp=%TIMESTAMP&altitude=%ALT&heading=%DIR&speed_mps=%SPD",
  "hdop=%HDOP&vdop=%VDOP&pdop=%PDOP&accuracy=%ACC&battery=%BATT",
].join("&");

/** At sea a vessel drifts slowly: detection of stops would leave gaps. */
const TRACCAR_CLIENT = {
  accuracy: "highest",
  distance: "25",
  interval: "30",
  angle: "15",
  heartbeat: "300",
  buffer: "true",
  stop_detection: "false",
};

/** A label of a device in ASCII: some apps spoil a header with other characters. */
export function labelOf(deviceName: string): string {
  const label = deviceName
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  return label === "" ? "device" : label;
}

/** The two characters by which OwnTracks marks a device on its map. */
const tidOf = (label: string): string => {
  const [first = "", second = ""] = label.split("-");
  return `${first[0] ?? ""}${second[0] ?? first[1] ?? ""}`.padEnd(2, "x");
};

function ownTracksLink(
  url: string,
  credentials: { username: string; password: string },
  { deviceName, encryptionKey }: Known,
): string {
  const deviceId = labelOf(deviceName);
  const configuration = {
    _type: "configuration",
    // HTTP.
    mode: 3,
    url,
    ...credentials,
    // Without these two the iOS app sends no credential.
    auth: true,
    usePassword: true,
    deviceId,
    tid: tidOf(deviceId),
    // Move mode: the others report every few hundred metres.
    monitoring: 2,
    extendedData: true,
    ...(encryptionKey !== null && { encryptionKey }),
  };
  // Android reads a plus sign as a space.
  return `owntracks:///config?${query({ inline: Buffer.from(JSON.stringify(configuration)).toString("base64") })}`;
}
