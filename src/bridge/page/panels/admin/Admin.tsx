import type { ComponentType, JSX } from "preact";
import { inLanguages } from "../../language";
import { route, to } from "../../route";
import { may } from "../../session";
import { Panel } from "../../ui/panel";
import { Audit } from "./Audit";
import { Boxes } from "./Boxes";
import { Clients } from "./Clients";
import { Configuration } from "./Configuration";
import { Integrations } from "./Integrations";
import { Invitations } from "./Invitations";
import { Keys } from "./Keys";
import { Roles } from "./Roles";
import { Server } from "./Server";
import { Users } from "./Users";

const words = inLanguages({
  en: {
    title: "Administration",
    parts: {
      users: "Users",
      invitations: "Invitations",
      roles: "Roles",
      keys: "API keys",
      audit: "Audit log",
      clients: "OAuth clients",
      configuration: "Settings",
      integrations: "Connected accounts",
      boxes: "Boats",
      server: "Server",
    },
  },
  de: {
    title: "Verwaltung",
    parts: {
      users: "Benutzer",
      invitations: "Einladungen",
      roles: "Rollen",
      keys: "API-Schlüssel",
      audit: "Protokoll",
      clients: "OAuth-Clients",
      configuration: "Einstellungen",
      integrations: "Verbundene Konten",
      boxes: "Boote",
      server: "Server",
    },
  },
});

type Part = keyof ReturnType<typeof words>["parts"];

/** The parts of the administration, each for whom its permission is given to. */
const PARTS: readonly (readonly [Part, permission: string, ComponentType])[] = [
  ["users", "users:read", Users],
  ["invitations", "users:read", Invitations],
  ["roles", "roles:read", Roles],
  ["keys", "api_keys:read", Keys],
  ["audit", "audit:read", Audit],
  ["clients", "oauth_clients:read", Clients],
  ["configuration", "settings:read", Configuration],
  ["integrations", "integrations:read", Integrations],
  ["boxes", "sync:manage", Boxes],
  ["server", "settings:read", Server],
];

/** The administration: one part at a time. */
export function Admin(): JSX.Element {
  const t = words();
  const shown = PARTS.filter(([, permission]) => may(permission));
  const asked = route.value.path[1];
  const [name, , Shown] = shown.find(([each]) => each === asked) ?? shown[0] ?? [];
  return (
    <Panel title={t.title}>
      <nav class="tabs" aria-label={t.title}>
        {shown.map(([each]) => (
          <a key={each} href={to(["admin", each])} aria-current={each === name ? "page" : undefined}>
            {t.parts[each]}
          </a>
        ))}
      </nav>
      {Shown && <Shown key={name} />}
    </Panel>
  );
}
