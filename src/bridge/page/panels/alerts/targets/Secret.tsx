import type { JSX } from "preact";
import { Button } from "../../../ui/button";
import { Copyable } from "../../../ui/copy";
import { Panel } from "../../../ui/panel";
import { words } from "./words";

/** The secret of a webhook, which is shown once. */
export function Secret({ secret, onDone }: { secret: string; onDone: () => void }): JSX.Element {
  const t = words();
  return (
    <Panel title={t.secret}>
      <div class="card">
        <Copyable label={t.secret} text={secret} />
        <p class="notice warn">{t.secretOnce}</p>
      </div>
      <Button kind="main" onClick={onDone}>
        {t.done}
      </Button>
    </Panel>
  );
}
