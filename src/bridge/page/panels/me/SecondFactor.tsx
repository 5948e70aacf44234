import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { bound, CheckField, Form, TextField, ticked } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { words } from "./words";

/** The second factor: set up with a code to scan, renewed, switched off. */
export function SecondFactor(): JSX.Element {
  const t = words();
  const setup = useSignal<Schemas["TwoFactorSetup"] | null>(null);
  const codes = useSignal<readonly string[] | null>(null);
  const open = useSignal<"off" | "codes" | null>(null);
  const status = useLoaded(async () => {
    const [known, requirement] = await Promise.all([
      call(() => api.GET("/v1/users/me/2fa/status")),
      call(() => api.GET("/v1/users/me/2fa/requirement")),
    ]);
    return { ...known, isRequired: requirement.required };
  }, []);
  const begin = async () => {
    setup.value = await call(() => api.POST("/v1/users/me/2fa/setup", { body: {} }));
  };
  const close = () => {
    setup.value = null;
    open.value = null;
    void status.reload();
  };
  return (
    <Section title={t.second}>
      <Show of={status}>
        {({ enabled, backup_codes_remaining, isRequired }) => (
          <>
            <p>
              {enabled ? t.secondOn(backup_codes_remaining) : t.secondOff} {isRequired && t.required}
            </p>
            <div class="actions left">
              {enabled ? (
                <>
                  <Button
                    onClick={() => {
                      open.value = "codes";
                    }}
                  >
                    {t.newCodes}
                  </Button>
                  {!isRequired && (
                    <Button
                      onClick={() => {
                        open.value = "off";
                      }}
                    >
                      {t.switchOff}
                    </Button>
                  )}
                </>
              ) : (
                <Button kind="main" onClick={begin}>
                  {t.setUp}
                </Button>
              )}
            </div>
          </>
        )}
      </Show>
      {setup.value && (
        <Scan
          setup={setup.value}
          onClose={close}
          onDone={(made) => {
            codes.value = made;
            close();
          }}
        />
      )}
      {open.value && (
        <ByCode
          which={open.value}
          onClose={close}
          onDone={(made) => {
            codes.value = made;
            close();
          }}
        />
      )}
      {codes.value && (
        <Codes
          codes={codes.value}
          onClose={() => {
            codes.value = null;
          }}
        />
      )}
    </Section>
  );
}

function Scan({
  setup,
  onClose,
  onDone,
}: {
  setup: Schemas["TwoFactorSetup"];
  onClose: () => void;
  onDone: (codes: readonly string[]) => void;
}): JSX.Element {
  const t = words();
  const code = useSignal("");
  const endsOthers = useSignal(true);
  const confirm = async () => {
    const { backup_codes } = await call(() =>
      api.POST("/v1/users/me/2fa/verify", {
        body: { code: code.value.trim(), end_other_sessions: endsOthers.value },
      }),
    );
    onDone(backup_codes);
  };
  return (
    <Dialog title={t.second} onClose={onClose}>
      <p>{t.setUpLead}</p>
      <img class="qr" src={setup.qr_code_image} alt={t.second} width={220} height={220} />
      <Copyable label={t.secret} text={setup.secret} />
      <Form action={t.switchOn} onSubmit={confirm} onCancel={onClose}>
        <TextField label={t.code} autocomplete="one-time-code" required {...bound(code)} />
        <CheckField label={t.endOthers} {...ticked(endsOthers)} />
      </Form>
    </Dialog>
  );
}

/** Switches the factor off, or makes new backup codes: both want a code. */
function ByCode({
  which,
  onClose,
  onDone,
}: {
  which: "off" | "codes";
  onClose: () => void;
  onDone: (codes: readonly string[] | null) => void;
}): JSX.Element {
  const t = words();
  const code = useSignal("");
  const confirm = async () => {
    const body = { code: code.value.trim() };
    if (which === "codes") {
      const made = await call(() => api.POST("/v1/users/me/2fa/backup-codes/regenerate", { body }));
      onDone(made.backup_codes);
    } else {
      await call(() => api.DELETE("/v1/users/me/2fa", { body }));
      onDone(null);
    }
  };
  return (
    <Dialog title={which === "off" ? t.switchOffTitle : t.newCodes} onClose={onClose}>
      <p>{which === "off" ? t.switchOffLead : t.newCodesLead}</p>
      <Form
        kind={which === "off" ? "danger" : "main"}
        action={which === "off" ? t.switchOff : t.newCodes}
        onSubmit={confirm}
        onCancel={onClose}
      >
        <TextField label={t.code} autocomplete="one-time-code" required {...bound(code)} />
      </Form>
    </Dialog>
  );
}

function Codes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }): JSX.Element {
  const t = words();
  return (
    <Dialog title={t.codes}>
      <p>{t.codesLead}</p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <footer class="actions">
        <Button kind="main" onClick={onClose}>
          {t.done}
        </Button>
      </footer>
    </Dialog>
  );
}
