import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { readFleet } from "../../fleet";
import { go, to } from "../../route";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { AreaField, bound, CheckField, Form, NumberField, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Panel } from "../../ui/panel";
import { say } from "../../ui/toasts";
import { common } from "../../ui/words";
import { words } from "./words";

/** Adds a device, and goes on to connect an app to it. */
export function NewDevice(): JSX.Element {
  const t = words();
  const [name, description] = [useSignal(""), useSignal("")];
  const add = async () => {
    const { data } = await call(() =>
      api.POST("/v1/devices", {
        body: { name: name.value.trim(), description: description.value.trim() || null },
      }),
    );
    await readFleet();
    say(t.created);
    go(["devices", data.id, "trackers"], { new: "1" }, true);
  };
  return (
    <Panel title={t.add} back={to(["devices"])}>
      <Form action={t.add} onSubmit={add}>
        <TextField label={t.name} required maxLength={200} {...bound(name)} />
        <AreaField
          label={`${t.description} (${common().optional})`}
          maxLength={10_000}
          {...bound(description)}
        />
      </Form>
    </Panel>
  );
}

/** Changes a device. */
export function DeviceSettings({ id }: { id: string }): JSX.Element {
  const loaded = useLoaded(
    async () => (await call(() => api.GET("/v1/devices/{id}", { params: { path: { id } } }))).data,
    [id],
  );
  return (
    <Panel title={words().settings} back={to(["devices", id])}>
      <Show of={loaded}>{(device) => <Fields device={device} />}</Show>
    </Panel>
  );
}

const AUTO_TRIP: Schemas["AutoTrip"] = {
  is_enabled: false,
  start_after_minutes: 3,
  end_after_minutes: 20,
  min_distance_km: 0.5,
  name_template: "{device} {date} {time}",
};

function Fields({ device }: { device: Schemas["Device"] }): JSX.Element {
  const t = words();
  const fields = useSignal(device);
  const trip = useSignal(device.auto_trip ?? AUTO_TRIP);
  const set = (change: Partial<Schemas["Device"]>) => {
    fields.value = { ...fields.value, ...change };
  };
  const setTrip = (change: Partial<Schemas["AutoTrip"]>) => {
    trip.value = { ...trip.value, ...change };
  };
  const path = { id: device.id };
  const save = async () => {
    const { name, description, external_id, max_speed_kmh, is_active } = fields.value;
    const { stop_radius_m, stop_minutes, gap_minutes } = fields.value;
    await call(() =>
      api.PATCH("/v1/devices/{id}", {
        params: { path },
        body: {
          ...{ name, description: description || null, max_speed_kmh, is_active },
          ...{ stop_radius_m, stop_minutes, gap_minutes },
          ...(external_id !== device.external_id && { external_id: external_id || null }),
          auto_trip: trip.value.is_enabled || device.auto_trip ? trip.value : null,
        },
      }),
    );
    await readFleet();
    say(common().saved);
    go(["devices", device.id], {}, true);
  };
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/devices/{id}", { params: { path } }));
        await readFleet();
        go(["devices"], {}, true);
      },
    });
  const now = fields.value;
  const auto = trip.value;
  return (
    <>
      <Form action={common().save} onSubmit={save}>
        <TextField
          label={t.name}
          required
          maxLength={200}
          value={now.name}
          onInput={(name) => set({ name })}
        />
        <AreaField
          label={t.description}
          maxLength={10_000}
          value={now.description ?? ""}
          onInput={(description) => set({ description })}
        />
        <CheckField
          label={t.isActive}
          isChecked={now.is_active}
          onChange={(is_active) => set({ is_active })}
        />
        <NumberField
          label={t.maxSpeed}
          hint={t.maxSpeedHint}
          min={1}
          value={now.max_speed_kmh}
          onInput={(max_speed_kmh) => set({ max_speed_kmh })}
        />
        <TextField
          label={t.externalId}
          hint={t.externalIdHint}
          maxLength={128}
          value={now.external_id ?? ""}
          onInput={(external_id) => set({ external_id })}
        />
        <fieldset>
          <legend>{t.stops}</legend>
          <NumberField
            label={t.stopRadius}
            required
            value={now.stop_radius_m}
            onInput={(value) => set({ stop_radius_m: value ?? 75 })}
          />
          <NumberField
            label={t.stopMinutes}
            required
            step={1}
            value={now.stop_minutes}
            onInput={(value) => set({ stop_minutes: value ?? 5 })}
          />
          <NumberField
            label={t.gapMinutes}
            required
            step={1}
            value={now.gap_minutes}
            onInput={(value) => set({ gap_minutes: value ?? 30 })}
          />
        </fieldset>
        <fieldset>
          <legend>{t.autoTrip}</legend>
          <CheckField
            label={t.autoTripOn}
            isChecked={auto.is_enabled}
            onChange={(is_enabled) => setTrip({ is_enabled })}
          />
          {auto.is_enabled && (
            <>
              <div class="pair">
                <NumberField
                  label={t.startAfter}
                  required
                  step={1}
                  value={auto.start_after_minutes}
                  onInput={(value) => setTrip({ start_after_minutes: value ?? 3 })}
                />
                <NumberField
                  label={t.endAfter}
                  required
                  step={1}
                  value={auto.end_after_minutes}
                  onInput={(value) => setTrip({ end_after_minutes: value ?? 20 })}
                />
                <NumberField
                  label={t.minDistance}
                  required
                  value={auto.min_distance_km}
                  onInput={(value) => setTrip({ min_distance_km: value ?? 0.5 })}
                />
              </div>
              <TextField
                label={t.template}
                hint={t.templateHint}
                required
                maxLength={200}
                value={auto.name_template}
                onInput={(name_template) => setTrip({ name_template })}
              />
            </>
          )}
        </fieldset>
      </Form>
      <Button kind="danger" icon="trash" onClick={remove}>
        {t.remove}
      </Button>
    </>
  );
}
