import { fleet } from "../../../fleet";
import { may } from "../../../session";
import { managesAny, mayBy } from "../../../shares";

/** Rights to rules: by permission over all of them, by shares over those of devices that the user manages. */

export const mayEditRules = (): boolean => may("alerts:write") || managesAny();

export const mayDeleteRules = (): boolean => may("alerts:delete") || managesAny();

/** True if a rule of the user's names devices that they manage by shares, and tells default targets or nobody. */
export const isByShares = (): boolean => !may("alerts:write");

/** The devices that the user's rules may name. */
export const devicesForRules = (): { id: string; name: string }[] =>
  [...fleet.value.values()]
    .map(({ device }) => ({ id: device.value.id, name: device.value.name }))
    .filter(({ id }) => mayBy("alerts:write", id, "manage"));
