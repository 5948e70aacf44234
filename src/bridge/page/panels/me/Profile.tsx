import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../../api";
import { askWho, type Me } from "../../session";
import { day } from "../../times";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { bound, Form, SelectField, TextField } from "../../ui/form";
import { useLoaded } from "../../ui/loaded";
import { Facts, Section } from "../../ui/panel";
import { say } from "../../ui/toasts";
import { common } from "../../ui/words";
import { words } from "./words";

/** Name, address, roles; and how to change the first two. */
export function Profile({ user }: { user: Me }): JSX.Element {
  const t = words();
  const open = useSignal<"name" | "email" | null>(null);
  const path = { id: user.id };
  const pending = useLoaded(
    () => call(() => api.GET("/v1/users/{id}/email/pending", { params: { path } })),
    [user.email],
  );
  const roles = useLoaded(
    async () => (await call(() => api.GET("/v1/users/{id}/roles", { params: { path } }))).roles,
    [user.roles.join()],
  );
  const close = () => {
    open.value = null;
  };
  const withdraw = async () => {
    await call(() => api.DELETE("/v1/users/{id}/email/pending", { params: { path } }));
    await pending.reload();
  };
  const chooseLanguage = async (value: "auto" | "en" | "de") => {
    const locale = value === "auto" ? null : value;
    await call(() => api.PATCH("/v1/users/{id}/locale", { params: { path }, body: { locale } }));
    await askWho();
  };
  return (
    <Section title={t.profile}>
      <Facts
        of={[
          [t.username, user.username],
          [t.email, user.email ?? t.noEmail],
          [t.roles, roles.data?.map(({ name }) => name).join(", ") || common().none],
          [t.since, day(Date.parse(user.created_at))],
          [t.id, <code key="id">{user.id}</code>],
        ]}
      />
      {pending.data?.pending && pending.data.new_email !== null && (
        <div class="notice">
          <p>{t.pendingEmail(pending.data.new_email)}</p>
          <Button onClick={withdraw}>{t.withdraw}</Button>
        </div>
      )}
      <div class="actions left">
        <Button
          onClick={() => {
            open.value = "name";
          }}
        >
          {t.changeName}
        </Button>
        <Button
          onClick={() => {
            open.value = "email";
          }}
        >
          {t.changeEmail}
        </Button>
      </div>
      <SelectField
        label={t.mailLanguage}
        value={user.preferred_locale ?? "auto"}
        options={[
          ["auto", t.ofBrowser],
          ["en", t.languages.en],
          ["de", t.languages.de],
        ]}
        onChange={(value) => void chooseLanguage(value)}
      />
      {open.value === "name" && <NewName user={user} onClose={close} />}
      {open.value === "email" && (
        <NewEmail
          user={user}
          onClose={() => {
            close();
            void pending.reload();
          }}
        />
      )}
    </Section>
  );
}

function NewName({ user, onClose }: { user: Me; onClose: () => void }): JSX.Element {
  const t = words();
  const username = useSignal(user.username);
  const save = async () => {
    await call(() =>
      api.PATCH("/v1/users/{id}/username", {
        params: { path: { id: user.id } },
        body: { username: username.value.trim() },
      }),
    );
    await askWho();
    onClose();
  };
  return (
    <Dialog title={t.changeName} onClose={onClose}>
      <Form action={common().save} onSubmit={save} onCancel={onClose}>
        <TextField
          label={t.username}
          required
          minLength={3}
          maxLength={30}
          autocapitalize="none"
          spellcheck={false}
          {...bound(username)}
        />
      </Form>
    </Dialog>
  );
}

function NewEmail({ user, onClose }: { user: Me; onClose: () => void }): JSX.Element {
  const t = words();
  const email = useSignal("");
  const save = async () => {
    await call(() =>
      api.POST("/v1/users/{id}/email/request-change", {
        params: { path: { id: user.id } },
        body: { email: email.value.trim() },
      }),
    );
    say(t.emailSent);
    onClose();
  };
  return (
    <Dialog title={t.changeEmail} onClose={onClose}>
      <Form action={common().save} onSubmit={save} onCancel={onClose}>
        <TextField label={t.newEmail} type="email" autocomplete="email" required {...bound(email)} />
      </Form>
    </Dialog>
  );
}
