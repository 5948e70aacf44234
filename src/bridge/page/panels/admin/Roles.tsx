import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages, locale } from "../../language";
import { go, route, to } from "../../route";
import { scopeWords } from "../../scopes";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { bound, CheckField, Form, TextField, ticked } from "../../ui/form";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Opener } from "../../ui/opener";
import { Section } from "../../ui/panel";
import { complain, say } from "../../ui/toasts";
import { common } from "../../ui/words";
import { ROLES, wordsIn } from "./german";

type Role = Schemas["Role"];
type Permission = Schemas["Permission"];

const words = inLanguages({
  en: {
    all: "All roles",
    add: "Make a role",
    name: "Name",
    description: "Description",
    second: "Asks for a second factor",
    system: "built in",
    permissions: "What it may do",
    remove: "Delete this role",
    removeText: "Whoever has it loses its rights at once.",
  },
  de: {
    all: "Alle Rollen",
    add: "Rolle anlegen",
    name: "Name",
    description: "Beschreibung",
    second: "Verlangt einen zweiten Faktor",
    system: "eingebaut",
    permissions: "Was sie darf",
    remove: "Diese Rolle löschen",
    removeText: "Wer sie hat, verliert ihre Rechte sofort.",
  },
});

/** Roles and what they may do. */
export function Roles(): JSX.Element {
  const t = words();
  const id = route.value.path[2];
  const isOpen = useSignal(false);
  const name = useSignal("");
  const roles = useLoaded(() => call(() => api.GET("/v1/roles")), [id]);
  if (id !== undefined) return <RoleDetails id={id} />;
  const make = async () => {
    const { data } = await call(() => api.POST("/v1/roles", { body: { name: name.value.trim() } }));
    go(["admin", "roles", data.id]);
  };
  return (
    <>
      {may("roles:write") && (
        <Opener label={t.add} isOpen={isOpen}>
          <section class="card">
            <Form
              action={t.add}
              onSubmit={make}
              onCancel={() => {
                isOpen.value = false;
              }}
            >
              <TextField label={t.name} required maxLength={200} {...bound(name)} />
            </Form>
          </section>
        </Opener>
      )}
      <Show of={roles}>
        {({ data }) => (
          <ul class="rows">
            {data.map((role) => (
              <li key={role.id}>
                <a class="row" href={to(["admin", "roles", role.id])}>
                  <Icon name="admin" />
                  <span class="row-main">
                    <span class="row-title">{role.name}</span>
                    {role.description && (
                      <span class="hint">
                        {wordsIn(locale.value, ROLES, role.description, role.description)}
                      </span>
                    )}
                  </span>
                  {role.is_system && <span class="tag">{t.system}</span>}
                </a>
              </li>
            ))}
          </ul>
        )}
      </Show>
    </>
  );
}

function RoleDetails({ id }: { id: string }): JSX.Element {
  const t = words();
  const path = { id };
  const loaded = useLoaded(async () => {
    const [role, held, all] = await Promise.all([
      call(() => api.GET("/v1/roles/{id}", { params: { path } })),
      call(() => api.GET("/v1/roles/{id}/permissions", { params: { path } })),
      may("permissions:read") ? call(() => api.GET("/v1/permissions")) : null,
    ]);
    return { role: role.data, held: held.data, all: all?.data ?? held.data };
  }, [id]);
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/roles/{id}", { params: { path } }));
        go(["admin", "roles"], {}, true);
      },
    });
  return (
    <>
      <a href={to(["admin", "roles"])}>{t.all}</a>
      <Show of={loaded}>
        {({ role, held, all }) => (
          <>
            <h2>{role.name}</h2>
            {may("roles:write") && <RoleFields key={role.updated_at} role={role} onSaved={loaded.reload} />}
            <Permissions role={role} held={held} all={all} onChanged={loaded.reload} />
            {may("roles:delete") && !role.is_system && (
              <Button kind="danger" icon="trash" onClick={remove}>
                {t.remove}
              </Button>
            )}
          </>
        )}
      </Show>
    </>
  );
}

function RoleFields({ role, onSaved }: { role: Role; onSaved: () => Promise<void> }): JSX.Element {
  const t = words();
  const [name, description] = [useSignal(role.name), useSignal(role.description ?? "")];
  const second = useSignal(role.requires_two_factor);
  const save = async () => {
    await call(() =>
      api.PATCH("/v1/roles/{id}", {
        params: { path: { id: role.id } },
        body: {
          ...(name.value !== role.name && { name: name.value.trim() }),
          description: description.value.trim() || null,
          requires_two_factor: second.value,
        },
      }),
    );
    say(common().saved);
    await onSaved();
  };
  return (
    <Form action={common().save} onSubmit={save}>
      <TextField label={t.name} required maxLength={200} {...bound(name)} />
      <TextField label={t.description} maxLength={1_000} {...bound(description)} />
      <CheckField label={t.second} {...ticked(second)} />
    </Form>
  );
}

/** The permissions of a role, by what they are about. A box that is ticked counts at once. */
function Permissions({
  role,
  held,
  all,
  onChanged,
}: {
  role: Role;
  held: readonly Permission[];
  all: readonly Permission[];
  onChanged: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const has = new Set(held.map(({ id }) => id));
  const resources = Map.groupBy(all, ({ resource }) => resource);
  const set = async (permission: Permission, isGiven: boolean) => {
    const path = { id: role.id };
    if (isGiven)
      await call(() =>
        api.POST("/v1/roles/{id}/permissions", {
          params: { path },
          body: { permission_id: permission.id },
        }),
      );
    else
      await call(() =>
        api.DELETE("/v1/roles/{id}/permissions/{permission_id}", {
          params: { path: { ...path, permission_id: permission.id } },
        }),
      );
  };
  const change = (permission: Permission, isGiven: boolean) =>
    void set(permission, isGiven).catch(complain).finally(onChanged);
  return (
    <Section title={t.permissions}>
      <div class="boxes">
        {[...resources].map(([resource, some]) => (
          <fieldset key={resource} disabled={!may("roles:write")}>
            <legend>{resource}</legend>
            {some.map((permission) => (
              <CheckField
                key={permission.id}
                label={permission.action}
                {...(permission.description !== null && { hint: wordsOf(permission) })}
                isChecked={has.has(permission.id)}
                onChange={(isChecked) => change(permission, isChecked)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Section>
  );
}

/** A permission of the catalogue in the reader's language, or what an operator wrote about one. */
function wordsOf({ resource, action, description }: Permission): string {
  const name = `${resource}:${action}`;
  const known = scopeWords(name);
  return known === name ? (description ?? "") : known;
}
