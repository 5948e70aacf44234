import { computed, signal } from "@preact/signals";
import { api, call, type Schemas, setManners } from "./api";

/** The user who is signed in, and their rights. */

export type Me = Schemas["OwnUser"];

/**
 * `asking`: the page has just opened; `none`: nobody is signed in; `open`: somebody is; `ended`: somebody was, and the page waits
 * with all that was typed until the same one signs in again; `unreached`: the server doesn't answer.
 */
export type SessionState = "asking" | "none" | "open" | "ended" | "unreached";

export const session = signal<SessionState>("asking");
export const me = signal<Me | null>(null);

/** Origins whose pages may use passkeys, as the server has them. */
export const passkeyOrigins = signal<readonly string[]>([]);

const held = computed(() => new Set(me.value?.permissions ?? []));

/** True if the user holds a permission, by itself or by a wildcard. */
export function may(permission: string): boolean {
  const [resource] = permission.split(":");
  return held.value.has(permission) || held.value.has(`${resource}:*`) || held.value.has("*:*");
}

/** Learns who is signed in; `unreached` where the server doesn't tell. */
async function readMe(): Promise<Me | null | "unreached"> {
  try {
    const { data: state } = await api.GET("/bridge/session");
    if (!state) return "unreached";
    passkeyOrigins.value = state.passkey_origins;
    // A browser reports each 401 as an error: the question above has none.
    if (!state.is_open) return null;
    const { data, response } = await api.GET("/v1/users/me");
    if (data) return data.data;
    return response.status === 401 ? null : "unreached";
  } catch {
    return "unreached";
  }
}

/** Learns who is signed in, and what they may do. */
export async function askWho(): Promise<void> {
  const found = await readMe();
  const wasOpen = session.value === "open" || session.value === "ended";
  if (found === "unreached") {
    if (session.value === "asking") session.value = "unreached";
  } else if (found) {
    // Another user must not find what the former one left open.
    if (me.value && me.value.id !== found.id) location.reload();
    // All that hangs on rights begins anew when they change: a question whose answer is the same changes nothing.
    if (JSON.stringify(me.value) !== JSON.stringify(found)) me.value = found;
    session.value = "open";
  } else session.value = wasOpen ? "ended" : "none";
}

/** Ends the session, and forgets all that the page knows. */
export async function signOut(): Promise<void> {
  await call(() => api.DELETE("/bridge/session"));
  location.hash = "";
  location.reload();
}

/** A question for a newer sign-in that is open; it is answered with true once there is one, with false if it was dropped. */
export const renewal = signal<((isRenewed: boolean) => void) | null>(null);

setManners({
  ended: () => {
    if (session.value === "open") session.value = "ended";
  },
  renew: () =>
    new Promise((resolve) => {
      renewal.value?.(false);
      renewal.value = (isRenewed) => {
        renewal.value = null;
        resolve(isRenewed);
      };
    }),
});
