import type { JSX } from "preact";
import { inLanguages } from "../../language";
import { route, to } from "../../route";
import { may } from "../../session";
import { Panel } from "../../ui/panel";
import { Tabs } from "../../ui/tabs";
import { AlertList } from "./AlertList";
import { AlertPage } from "./AlertPage";
import { RuleEditor } from "./rules/RuleEditor";
import { RuleList } from "./rules/RuleList";
import { TargetEditor } from "./targets/TargetEditor";
import { TargetList } from "./targets/TargetList";
import { TargetPage } from "./targets/TargetPage";
import { words } from "./words";

const texts = inLanguages({
  en: {
    tabs: {
      open: "Open",
      acknowledged: "Acknowledged",
      cleared: "Over",
      rules: "Rules",
      targets: "Who is told",
    },
  },
  de: {
    tabs: {
      open: "Offen",
      acknowledged: "Bestätigt",
      cleared: "Vorbei",
      rules: "Regeln",
      targets: "Empfänger",
    },
  },
});

const TABS = ["open", "acknowledged", "cleared", "rules", "targets"] as const;
type Tab = (typeof TABS)[number];

/** True if a tab would show the user anything. Whoever manages a device by a share has rules alone. */
const isShown = (tab: Tab): boolean =>
  tab === "rules" || may(tab === "targets" ? "alerts:write" : "alerts:read");

/** Alerts, the rules that raise them, and who is told. */
export function Alerts(): JSX.Element {
  const [, first, id, part] = route.value.path;
  const tabs = TABS.filter(isShown);
  if (first !== undefined && !(TABS as readonly string[]).includes(first)) return <AlertPage id={first} />;
  const tab = tabs.find((each) => each === first) ?? (tabs[0] as Tab);
  if (tab === "rules" && id !== undefined) return <RuleEditor key={id} id={id === "new" ? null : id} />;
  if (tab === "targets" && id !== undefined)
    return part === "edit" || id === "new" ? (
      <TargetEditor key={id} id={id === "new" ? null : id} />
    ) : (
      <TargetPage key={id} id={id} />
    );
  return (
    <Panel title={words().title}>
      <Tabs
        label={words().title}
        current={tab}
        tabs={tabs.map((each) => ({ name: each, title: texts().tabs[each], href: to(["alerts", each]) }))}
      />
      {tab === "rules" && <RuleList />}
      {tab === "targets" && <TargetList />}
      {tab !== "rules" && tab !== "targets" && <AlertList key={tab} status={tab} />}
    </Panel>
  );
}
