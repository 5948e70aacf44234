import type { Language } from "./language";

export const german: Language = {
  test: (name) => ({
    title: "Test von Fairlead",
    body: `Das ist ein Test des Benachrichtigungsziels „${name}“. So werden Alarme ankommen.`,
  }),
  greeting: "Hallo,",
  asked: (site, who) =>
    `${who} hat diese Adresse für Alarme von Fairlead auf ${site} eingetragen. Falls du sie nicht haben möchtest, sag es ${who} oder denen, die diese Installation betreiben.`,
  own: (site) => `Du bekommst das, weil deine Adresse für Alarme von Fairlead auf ${site} eingetragen ist.`,
  key: (name) => `Der API-Schlüssel „${name}“`,
  somebody: "Jemand",
  footer: (site) =>
    `Fairlead auf ${site} hat diese E-Mail automatisch verschickt. Antworten werden nicht gelesen.`,
};
