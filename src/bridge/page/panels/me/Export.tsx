import type { JSX } from "preact";
import { api, call } from "../../api";
import { download } from "../../download";
import { Button } from "../../ui/button";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { number } from "../../units";
import { words } from "./words";

/** All that is stored about oneself, to take along. */
export function Export(): JSX.Element {
  const t = words();
  const logs = useLoaded(
    () => call(() => api.GET("/v1/user/export/logs", { params: { query: { limit: 5 } } })),
    [],
  );
  return (
    <Section title={t.export}>
      <p>{t.exportLead}</p>
      <div class="actions left">
        <Button icon="download" onClick={() => download("/v1/user/export")}>
          {t.download}
        </Button>
      </div>
      <Show of={logs}>
        {({ logs: made }) =>
          made.length > 0 && (
            <>
              <h3>{t.exports}</h3>
              <ul class="rows">
                {made.map(({ id, exportedAt, fileSizeBytes, ipAddress }) => (
                  <li key={id} class="row">
                    <span class="row-main">
                      <Ago at={exportedAt} />
                      <span class="hint">{ipAddress}</span>
                    </span>
                    <span class="row-end">{number(fileSizeBytes / 1_000)} kB</span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Show>
    </Section>
  );
}
