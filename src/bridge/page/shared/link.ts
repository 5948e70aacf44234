import { signal } from "@preact/signals";
import { ApiError, api, call, type Schemas } from "../api";
import { BASE } from "../base";

/** The devices behind a link: read once, then followed over a socket, and by questions where none gets through. */

export type Shared = Schemas["Shared"];
export type SharedPosition = Schemas["SharedPosition"];

/** `over`: the link shows nothing, be it wrong, ended or taken back: the server doesn't tell which. */
export const state = signal<"asking" | "open" | "over" | "unreached">("asking");
/** True while the server can't be reached, so that what is shown grows old. */
export const isLost = signal(false);
export const shared = signal<Shared | null>(null);
/** Newest positions by the device's identifier, or by an empty text where the link shows a trip. */
export const positions = signal<ReadonlyMap<string, SharedPosition>>(new Map());
export const tracks = signal<ReadonlyMap<string, Schemas["Track"]>>(new Map());

/** Milliseconds between two questions while the socket is closed. */
const PAUSE = 15_000;

const key = (deviceId: string | null): string => deviceId ?? "";

/** The token, which stands behind the # of the address: a browser sends it to nobody. */
export const token = location.hash.slice(1);

const headers = { authorization: `Share ${token}` };

async function read(): Promise<void> {
  try {
    const { data } = await call(() => api.GET("/v1/shared", { headers }));
    shared.value = data;
    const found = data.devices.flatMap(({ device_id, position }) =>
      position ? [[key(device_id), position] as const] : [],
    );
    positions.value = new Map([...positions.peek(), ...found]);
    state.value = "open";
    isLost.value = false;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404 || error.status === 401) state.value = "over";
    else if (state.peek() === "open") isLost.value = true;
    else state.value = "unreached";
  }
}

async function readTracks(): Promise<void> {
  const found = shared.peek();
  if (found?.level !== "history") return;
  for (const { device_id } of found.devices) {
    const query = device_id === null ? {} : { device_id };
    const { data } = await call(() => api.GET("/v1/shared/track", { headers, params: { query } }));
    tracks.value = new Map([...tracks.peek(), [key(device_id), data]]);
  }
}

/** Opens the socket of the link; resolves when it has closed. */
function listen(): Promise<void> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${BASE.replace(/^http/, "ws")}v1/ws?share=${encodeURIComponent(token)}`);
    socket.onopen = () => socket.send(JSON.stringify({ type: "subscribe", channel: "gps" }));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as Partial<Schemas["SocketGpsUpdate"]>;
      if (message.type !== "gpsUpdate" || !message.data || "is_deleted" in message.data) return;
      const { device_id, ...position } = message.data;
      // A link to a trip names no device.
      const id =
        positions.peek().has(key(device_id)) || (shared.peek()?.devices.length ?? 0) > 1
          ? key(device_id)
          : "";
      positions.value = new Map([...positions.peek(), [id, position]]);
    };
    socket.onclose = () => resolve();
  });
}

/** Follows the link until it is over. */
export async function follow(): Promise<void> {
  if (token === "") {
    state.value = "over";
    return;
  }
  await read();
  await readTracks().catch(() => {});
  while (state.peek() !== "over") {
    if (state.peek() === "open" && !isLost.peek()) await listen();
    // A socket that closes tells nothing of the reason: the server does, or is away.
    await read();
    if (state.peek() !== "over") await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
