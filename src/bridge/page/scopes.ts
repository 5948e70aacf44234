import { PERMISSIONS } from "../../identity/access/permissions";
import { PERMISSIONS_IN_GERMAN, SCOPES } from "../authorize/scope-words";
import { inLanguages } from "./language";

const words = inLanguages<Record<string, string>>({
  en: { ...SCOPES.en, ...PERMISSIONS },
  de: { ...SCOPES.de, ...PERMISSIONS_IN_GERMAN },
});

/** A scope in plain words; a permission that an operator invented is its own name. */
export const scopeWords = (scope: string): string => words()[scope] ?? scope;

/** True for a scope that is a permission, which an administrator has to approve for an application. */
export const isPermission = (scope: string): boolean => !(scope in SCOPES.en);
