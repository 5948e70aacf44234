import { signal } from "@preact/signals";
import { api, call } from "./api";
import { BASE } from "./base";
import { go, route } from "./route";
import { askWho, session } from "./session";
import { complain } from "./ui/toasts";

/** The way of the page to an OpenID provider and back: it comes back at `#/elsewhere/PURPOSE/CODE`. */

export type Purpose = "sign_in" | "link" | "reauthenticate";

const PURPOSES: readonly Purpose[] = ["sign_in", "link", "reauthenticate"];

const KEPT = "fairlead.elsewhere";

/** Place to which the page goes when it is back, and the wish to stay signed in: the page is loaded anew in between. */
interface Kept {
  place: string;
  stay: boolean;
}

function keep(stay: boolean): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ place: location.hash, stay } satisfies Kept));
  } catch {
    // A browser that keeps nothing comes back to the beginning of the page.
  }
}

function takeKept(): Kept {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    sessionStorage.removeItem(KEPT);
    if (typeof kept === "object" && kept !== null && "place" in kept && "stay" in kept)
      return { place: String(kept.place), stay: kept.stay === true };
  } catch {
    // As above.
  }
  return { place: "", stay: false };
}

/** The words of a refusal on the way back, for the page that is shown then. */
export const comebackRefusal = signal<unknown>(null);

/** The code with which the page has come back; null where it comes from nowhere. It leaves the address at once. */
function takeCode(): { purpose: Purpose; code: string; stay: boolean } | null {
  const [first, name, code] = route.value.path;
  const purpose = PURPOSES.find((each) => each === name);
  if (first !== "elsewhere" || !purpose || !code) return null;
  const { place, stay } = takeKept();
  const [path = "", query = ""] = place.replace(/^#\/?/, "").split("?");
  go(path.split("/").filter(Boolean), Object.fromEntries(new URLSearchParams(query)), true);
  return { purpose, code, stay };
}

/** Opens the sign-in of a provider, in place of this page. */
export function signInAt(name: string, stay: boolean): void {
  keep(stay);
  location.assign(new URL(`v1/auth/oidc/${name}`, BASE));
}

/** Leads to a provider to link an identity there, or to prove by one of them who one is. */
export async function goTo(name: string, purpose: "link" | "reauthenticate"): Promise<void> {
  const params = { path: { name } };
  const { authorization_url } = await call(() =>
    purpose === "link"
      ? api.POST("/v1/users/me/identities/begin/{name}", { params, body: {} })
      : api.POST("/v1/auth/oidc/{name}/reauthenticate", { params, body: {} }),
  );
  keep(false);
  location.assign(authorization_url);
}

/** A challenge of the second factor that follows a sign-in elsewhere. */
export const comebackChallenge = signal<{ token: string; stay: boolean; takesPasskey: boolean } | null>(null);

/** Completes what the page went away for, if it has just come back, and learns who is signed in. */
export async function comeBack(): Promise<void> {
  const taken = takeCode();
  if (taken) await complete(taken);
  await askWho();
  // Whoever is signed in is told of it by the page behind the sign-in.
  if (comebackRefusal.value === null || session.value !== "open") return;
  complain(comebackRefusal.value);
  comebackRefusal.value = null;
}

async function complete({
  purpose,
  code,
  stay,
}: {
  purpose: Purpose;
  code: string;
  stay: boolean;
}): Promise<void> {
  try {
    if (purpose === "link") await call(() => api.POST("/v1/users/me/identities", { body: { code } }));
    if (purpose === "reauthenticate")
      await call(() => api.POST("/v1/auth/reauthenticate", { body: { oidc_code: code } }));
    if (purpose === "sign_in") await signIn(code, stay);
  } catch (error) {
    comebackRefusal.value = error;
  }
}

async function signIn(code: string, stay: boolean): Promise<void> {
  const answer = await call(() => api.POST("/bridge/session/oidc", { body: { code, stay_signed_in: stay } }));
  const takesPasskey = answer.second_factors?.includes("passkey") === true;
  if (answer.temp_token) comebackChallenge.value = { token: answer.temp_token, stay, takesPasskey };
}
