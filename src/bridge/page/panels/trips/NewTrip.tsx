import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../../api";
import { fleet } from "../../fleet";
import { go, to } from "../../route";
import { may } from "../../session";
import { AreaField, bound, CheckField, Form, picked, SelectField, TextField, ticked } from "../../ui/form";
import { useLoaded } from "../../ui/loaded";
import { Panel } from "../../ui/panel";
import { common } from "../../ui/words";
import { words } from "./words";

/** Makes a trip, and begins it at once unless it is for later. */
export function NewTrip(): JSX.Element {
  const t = words();
  // A boat begins the trips of its own devices.
  const devices = [...fleet.value.values()]
    .map(({ device }) => device.value)
    .filter(({ box_id }) => box_id === null);
  const [name, description, category] = [useSignal(""), useSignal(""), useSignal("")];
  const device = useSignal(devices.length === 1 ? (devices[0]?.id ?? "") : "");
  const startsNow = useSignal(true);
  const mayChoose = may("trip_categories:read");
  const categories = useLoaded(
    async () => (mayChoose ? call(() => api.GET("/v1/trip-categories")) : []),
    [mayChoose],
  );
  const make = async () => {
    const { data } = await call(() =>
      api.POST("/v1/trips", {
        body: {
          name: name.value.trim(),
          description: description.value.trim() || null,
          device_id: device.value || null,
          category_id: category.value || null,
          gps_logging_enabled: device.value !== "",
        },
      }),
    );
    const path = { id: data.id };
    // A trip that can't begin is there all the same: its page says why, and how to go on.
    if (startsNow.value)
      await call(() => api.PATCH("/v1/trips/{id}", { params: { path }, body: { status: "active" } })).finally(
        () => go(["trips", data.id], {}, true),
      );
    else go(["trips", data.id], {}, true);
  };
  return (
    <Panel title={t.begin} back={to(["trips"])}>
      <Form action={startsNow.value ? t.start : common().save} onSubmit={make}>
        <TextField label={t.name} required maxLength={200} {...bound(name)} />
        <SelectField
          label={t.device}
          {...picked(device)}
          options={[["", t.noDevice], ...devices.map(({ id, name }) => [id, name] as const)]}
        />
        {categories.data && categories.data.length > 0 && (
          <SelectField
            label={t.category}
            {...picked(category)}
            options={[["", t.noCategory], ...categories.data.map(({ id, name }) => [id, name] as const)]}
          />
        )}
        <AreaField
          label={`${t.description} (${common().optional})`}
          maxLength={10_000}
          {...bound(description)}
        />
        <CheckField label={t.startNow} {...ticked(startsNow)} />
      </Form>
    </Panel>
  );
}
