import type { Bilingual } from "../values/bilingual";

const UNREACHED = { en: "it cannot be reached", de: "nicht erreichbar" };

/** Bun's message about the failure of a WebSocket, less the address, which may hold a secret. */
export const failureOf = (event: Event): Bilingual => {
  const { message } = event as { message?: unknown };
  const told = /.* failed: (.*)$/.exec(String(message))?.[1];
  if (told === undefined) return UNREACHED;
  return { en: told, de: `${UNREACHED.de} (${told})` };
};
