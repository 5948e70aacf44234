import type { JSX } from "preact";
import { me, signOut } from "../../session";
import { Button } from "../../ui/button";
import { Panel } from "../../ui/panel";
import { Deletion } from "./Deletion";
import { Export } from "./Export";
import { Passkeys } from "./Passkeys";
import { Password } from "./Password";
import { Preferences } from "./Preferences";
import { Profile } from "./Profile";
import { SecondFactor } from "./SecondFactor";
import { Sessions } from "./Sessions";
import { words } from "./words";

/** Oneself: who one is, how one gets in, how the page looks, and what is stored. */
export function Me(): JSX.Element | null {
  const t = words();
  if (!me.value) return null;
  return (
    <Panel
      title={t.title}
      actions={
        <Button kind="quiet" onClick={signOut}>
          {t.signOut}
        </Button>
      }
    >
      <Profile user={me.value} />
      <Preferences />
      <Password />
      <SecondFactor />
      <Passkeys />
      <Sessions />
      <Export />
      <Deletion />
    </Panel>
  );
}
