import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError, api, call, type Schemas } from "../../api";
import { drawnElsewhere, useStage } from "../../map/current";
import { drawShape } from "../../map/drawing";
import { boundsOf, distanceKm } from "../../map/geometry";
import { showBox } from "../../map/track";
import { type Ground, groundOf } from "../../map/zones";
import { faultWords } from "../../refusals/refusals";
import { go, to } from "../../route";
import { Button } from "../../ui/button";
import { FieldFault, Form, SelectField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Panel } from "../../ui/panel";
import { say } from "../../ui/toasts";
import { common } from "../../ui/words";
import { readZones, type Zone } from "../../zones";
import { createDrawing, type Drawing } from "./drawing";
import { Fields, type Filled, filledOf, sentFields } from "./Fields";
import { Numbers } from "./Numbers";
import {
  cornerAt,
  EMPTY,
  faultOf,
  geometryOf,
  handlesOf,
  type Kind,
  type Shape,
  sentOf,
  shapeOf,
} from "./shape";
import { words } from "./words";

/** Draws a zone. */
export function NewZone(): JSX.Element {
  return <Editor zone={null} />;
}

/** Changes a zone. */
export function EditZone({ id }: { id: string }): JSX.Element {
  const loaded = useLoaded(
    async () => (await call(() => api.GET("/v1/geofences/{id}", { params: { path: { id } } }))).data,
    [id],
  );
  // A draft stays as it is, whatever is read meanwhile.
  if (loaded.data) return <Editor zone={loaded.data} />;
  return (
    <Panel title={words().editTitle} back={to(["zones", id])}>
      <Show of={loaded}>{() => null}</Show>
    </Panel>
  );
}

/** The ground of a shape as far as it is drawn. */
function groundSoFar(shape: Shape): Ground | null {
  const { kind, centre, radius_km, width_m } = shape;
  const rings = shape.rings.filter(({ corners }) => corners.length > 1);
  if (kind === "circle" ? !centre || !radius_km : rings.length === 0) return null;
  return groundOf({
    ...{ kind, width_m, geometry: kind === "circle" ? null : geometryOf({ ...shape, rings }) },
    ...{ latitude: centre?.[1] ?? 0, longitude: centre?.[0] ?? 0, radius_km: radius_km ?? 0 },
  });
}

/** Draws on the map what is being changed, and lets it be changed there. */
function useDrawing(drawing: Drawing, id: string | null): void {
  useEffect(() => {
    drawnElsewhere.zone.value = id;
    return () => {
      drawnElsewhere.zone.value = null;
    };
  }, [id]);
  useStage(
    (stage) => {
      const ground = groundSoFar(drawing.shape.peek());
      const box = ground && boundsOf(ground.edge.flat());
      if (box) showBox(stage, box);
      return drawShape(stage, {
        read: () => {
          const [shape, chosen, fault] = [drawing.shape.value, drawing.chosen.value, drawing.fault.value];
          const isAt = (at: typeof chosen, ring: number, corner: number) =>
            at?.ring === ring && at.corner === corner;
          const signs = handlesOf(shape).map((handle) => ({
            ...handle,
            isChosen: handle.role === "corner" && isAt(chosen, handle.ring, handle.corner),
            isFaulty: handle.role === "corner" && isAt(fault, handle.ring, handle.corner),
          }));
          return { ground: groundSoFar(shape), signs };
        },
        onTap: (longitude, latitude, beside) =>
          drawing.tap(
            cornerAt(longitude, latitude),
            Math.max(0.001, Math.round(distanceKm([longitude, latitude], beside) * 1_000) / 1_000),
          ),
        onTapOn: (handle, isTwice) => {
          if (handle.role === "middle") drawing.grab(handle);
          else if (handle.role === "corner" && isTwice) drawing.remove(handle);
          else if (handle.role === "corner") drawing.choose(handle);
        },
        onGrab: (handle) => {
          const move = drawing.grab(handle);
          return (longitude, latitude) => move(cornerAt(longitude, latitude));
        },
      });
    },
    [drawing],
  );
}

function Editor({ zone }: { zone: Zone | null }): JSX.Element {
  const t = words();
  const drawing = useMemo(() => createDrawing(zone ? shapeOf(zone) : EMPTY), []);
  const filled = useSignal<Filled>(filledOf(zone));
  useDrawing(drawing, zone?.id ?? null);
  const shape = drawing.shape.value;
  const save = async () => {
    const sent = sentOf(shape);
    if (!sent) throw new FieldFault(t.unfinished[shape.kind]);
    const saved = await send(zone, {
      ...sentFields(filled.value, zone),
      ...(drawing.isChanged() && sent),
    }).catch((error: unknown) => {
      if (error instanceof ApiError) drawing.fault.value = faultOf(shape, error);
      const fault = drawing.fault.value;
      throw fault ? new FieldFault(t.cornerFault(fault.corner + 1, faultWords(fault.message))) : error;
    });
    await readZones();
    say(common().saved);
    go(["zones", saved.id], {}, true);
  };
  const setKind = (kind: Kind) => {
    drawing.change({ ...shape, kind });
    drawing.choose(null);
    drawing.ring.value = 0;
  };
  const above = zone ? ["zones", zone.id] : ["zones"];
  return (
    <Panel title={zone ? t.editTitle : t.draw} back={to(above)} actions={<Tools drawing={drawing} />}>
      <Form action={common().save} onSubmit={save} onCancel={() => go(above, {}, true)}>
        <SelectField
          label={t.kind}
          hint={{ circle: t.howCircle, polygon: t.howPolygon, corridor: t.howCorridor }[shape.kind]}
          value={shape.kind}
          options={(["polygon", "circle", "corridor"] as const).map((kind) => [kind, t.kinds[kind]] as const)}
          onChange={setKind}
        />
        <Fields filled={filled} isNew={zone === null}>
          <Numbers drawing={drawing} />
        </Fields>
      </Form>
    </Panel>
  );
}

async function send(
  zone: Zone | null,
  body: Schemas["NewGeofence"] & Schemas["GeofenceChange"],
): Promise<Schemas["Geofence"]> {
  if (zone === null) return (await call(() => api.POST("/v1/geofences", { body }))).data;
  const params = { path: { id: zone.id } };
  return (await call(() => api.PATCH("/v1/geofences/{id}", { params, body }))).data;
}

/** The tools of a drawing: in the head of the panel, which stays in reach. */
function Tools({ drawing }: { drawing: Drawing }): JSX.Element {
  const t = words();
  const chosen = drawing.chosen.value;
  return (
    <>
      {chosen && <Button onClick={() => drawing.remove(chosen)}>{t.deleteCorner(chosen.corner + 1)}</Button>}
      <Button icon="undo" label={t.undo} isDisabled={!drawing.isUndoable.value} onClick={drawing.undo} />
    </>
  );
}
