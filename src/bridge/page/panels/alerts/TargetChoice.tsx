import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { all } from "../../fleet";
import { may } from "../../session";
import { Choices } from "../../ui/choices";
import { useLoaded } from "../../ui/loaded";

/** The targets, for those who may see them; null until they are read. */
export function useTargets(): {
  targets: readonly Schemas["NotificationTarget"][] | null;
  error: string | null;
} {
  const maySee = may("alerts:write");
  const { data, error } = useLoaded(
    async () =>
      maySee
        ? all((page) =>
            call(() => api.GET("/v1/notification-targets", { params: { query: { page, limit: 100 } } })),
          )
        : [],
    [maySee],
  );
  return { targets: data, error };
}

/** Targets to tick. */
export function TargetChoice({
  legend,
  none,
  chosen,
  onChange,
}: {
  legend: string;
  none: string;
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
}): JSX.Element | null {
  const { targets, error } = useTargets();
  if (error !== null) return <p class="notice bad">{error}</p>;
  return targets && <Choices legend={legend} none={none} of={targets} chosen={chosen} onChange={onChange} />;
}
