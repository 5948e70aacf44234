import { existsSync } from "node:fs";
import { dataPath, missingKeyFile, readMasterKeys } from "../../kernel/process/data-dir";
import { reasonIn } from "../../kernel/process/disk";
import { type Bilingual, inEach } from "../../kernel/values/bilingual";
import { type Closed, consequences, foreignKey, type KeyState, listed, whyClosed } from "../keys/check";
import { isRotating } from "../keys/rotate";
import { type Finding, ok, problem, warning } from "./findings";

/** The doctor's look at the master key: a problem is what keeps the server from its start. */

const CHECK = "master key";

/** Checks the key by what it means for the database; null where there is none, or none that can be read. */
export function checkKey(state: KeyState | null): Finding[] {
  try {
    const isThere = readMasterKeys().length > 0;
    const trouble = state?.isRefused ? whyRefused(state.closed, isThere) : missingKeyFile();
    if (trouble) return [problem(CHECK, trouble)];
    if (!isThere) return [missing(state)];
    const found = doubts(state);
    return found.length > 0 ? found : [PRESENT];
  } catch (error) {
    return [problem(CHECK, reasonIn(error))];
  }
}

const PRESENT = ok(CHECK, {
  en: "present; keep a copy of it, separate from the backups",
  de: "vorhanden; bewahre eine Kopie davon auf, getrennt von den Sicherungen",
});

function whyRefused(closed: Closed[], isThere: boolean): Bilingual {
  const why = whyClosed(isThere, listed(closed));
  return {
    en: `${why.en}; the server does not start with a key that can decrypt none of them`,
    de: `${why.de}; mit einem Schlüssel, der keines davon entschlüsselt, startet der Server nicht`,
  };
}

function missing(state: KeyState | null): Finding {
  if (!existsSync(dataPath.database()))
    return ok(CHECK, { en: "the first start creates one", de: "der erste Start legt einen an" });
  if (state === null || state.replaced.length === 0)
    return warning(CHECK, {
      en: "missing; the next start creates one. If you had one, restore it first",
      de: "er fehlt; der nächste Start legt einen an. Wenn du einen hattest, stelle ihn vorher wieder her",
    });
  const [path, then] = [dataPath.key(), consequences(state.replaced)];
  return warning(CHECK, {
    en: `${path} is missing, and the next start makes a new key: ${then.en}. If you have a copy of the former one, restore it first`,
    de: `${path} fehlt, und der nächste Start macht einen neuen Schlüssel: ${then.de}. Wenn du eine Kopie des früheren hast, stelle sie vorher wieder her`,
  });
}

/** Finds what doesn't keep the server from its start. */
function doubts(state: KeyState | null): Finding[] {
  const { closed = [], opensSome = false, replaced = [], hasForeign = false } = state ?? {};
  const found: Bilingual[] = [];
  if (hasForeign) found.push(foreignKey());
  else if (isRotating()) found.push(undone());
  if (closed.length > 0) found.push(lost(closed));
  if (replaced.length > 0) found.push(another(consequences(replaced), opensSome));
  return found.map((words) => warning(CHECK, words));
}

const undone = (): Bilingual => ({
  en: `its rotation is not done: ${dataPath.formerKey()} is still there. Call fairlead key rotate-master, which goes on with it`,
  de: `sein Wechsel ist nicht fertig: ${dataPath.formerKey()} ist noch da. Rufe fairlead key rotate-master auf, das macht damit weiter`,
});

function lost(closed: Closed[]): Bilingual {
  const kinds = inEach((locale) =>
    closed
      .map(({ what, example }) => what[locale] + (example === null ? "" : ` (${SUCH_AS[locale]} ${example})`))
      .join(", "),
  );
  const remedy = consequences(closed);
  return {
    en: `the server starts with it, but it cannot decrypt some of the ${kinds.en} in the database: they are damaged, or the key that wrote them was lost. This is what helps: ${remedy.en}`,
    de: `der Server startet damit, aber manches in der Datenbank entschlüsselt er nicht: ${kinds.de}. Das ist beschädigt, oder der Schlüssel dazu ging verloren. Was hilft: ${remedy.de}`,
  };
}

const SUCH_AS = { en: "such as that of", de: "so von" } as const satisfies Bilingual;

function another(then: Bilingual, isNeeded: boolean): Bilingual {
  const advice = isNeeded
    ? {
        en: "Leave this one in its place: it decrypts secrets in the database",
        de: "Lass diesen an seinem Platz: Er entschlüsselt Geheimnisse der Datenbank",
      }
    : {
        en: "If you have a copy of it, restore it",
        de: "Wenn du eine Kopie davon hast, stelle sie wieder her",
      };
  return {
    en: `another one was here before: ${then.en}. ${advice.en}`,
    de: `vorher war ein anderer da: ${then.de}. ${advice.de}`,
  };
}
