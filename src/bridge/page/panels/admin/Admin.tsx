import type { ComponentType, JSX } from "preact";
import { inLanguages } from "../../language";
import { route, to } from "../../route";
import { Panel } from "../../ui/panel";
import { Tabs } from "../../ui/tabs";
import { Audit } from "./Audit";
import { Boxes } from "./Boxes";
import { Clients } from "./Clients";
import { Configuration } from "./Configuration";
import { Integrations } from "./Integrations";
import { Invitations } from "./Invitations";
import { Keys } from "./Keys";
import { type Part, shownParts } from "./parts";
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

const PANELS: Record<Part, ComponentType> = {
  users: Users,
  invitations: Invitations,
  roles: Roles,
  keys: Keys,
  audit: Audit,
  clients: Clients,
  configuration: Configuration,
  integrations: Integrations,
  boxes: Boxes,
  server: Server,
};

/** The administration: one part at a time. */
export function Admin(): JSX.Element {
  const t = words();
  const shown = shownParts();
  const asked = route.value.path[1];
  const name = shown.find((each) => each === asked) ?? shown[0];
  const Shown = name && PANELS[name];
  return (
    <Panel title={t.title}>
      <Tabs
        label={t.title}
        current={name}
        tabs={shown.map((each) => ({ name: each, title: t.parts[each], href: to(["admin", each]) }))}
      />
      {Shown && <Shown key={name} />}
    </Panel>
  );
}
