import { effect, signal } from "@preact/signals";
import { inLanguages, locale } from "../language";
import { knownWords, type Refusal, type Table, wordsIn } from "./table";

/**
 * The words of refusals. The API tells them in English, for whoever writes programs; its readers are told in their language what to
 * do. Where no better words are known, those of their kind are followed by the server's own.
 */

const kinds = inLanguages<Record<string, string>>({
  en: {
    Offline: "The server can't be reached. Check the connection and try again.",
    PublicUrlNeeded:
      "Links and codes need an address of this server that other machines reach. Give one, or open this page by it.",
    NotFound: "This isn't there any more, or isn't for you. Load the view again.",
    ReauthenticationRequired: "Confirm first that it is you.",
    PasskeyNotGiven: "No passkey was used. Try again, or choose another way.",
    PasskeyKnown: "A passkey for this account is kept there already.",
    PasskeysUnavailable: "This server can have no passkeys at its present address.",
    other: "The server refused this.",
  },
  de: {
    Offline: "Der Server ist nicht erreichbar. Prüfe die Verbindung und versuche es noch einmal.",
    PublicUrlNeeded:
      "Links und Codes brauchen eine Adresse dieses Servers, die andere Geräte erreichen. Gib eine an oder öffne diese Seite darunter.",
    NotFound: "Das gibt es nicht mehr, oder es ist nicht für dich. Lade die Ansicht neu.",
    ReauthenticationRequired: "Bestätige zuerst, dass du es bist.",
    PasskeyNotGiven: "Es wurde kein Passkey benutzt. Versuche es noch einmal oder nimm einen anderen Weg.",
    PasskeyKnown: "Dort ist schon ein Passkey für dieses Konto aufbewahrt.",
    PasskeysUnavailable: "Unter seiner jetzigen Adresse kann dieser Server keine Passkeys haben.",
    AccountBanned: "Dieses Konto ist gesperrt. Frage die Verwaltung.",
    TwoFactorLocked: "Zu viele falsche Codes. Lass den zweiten Faktor von der Verwaltung entsperren.",
    Unauthorized: "Das geht nur angemeldet. Melde dich an und versuche es noch einmal.",
    Forbidden: "Das darf dein Konto nicht. Bitte die Verwaltung darum.",
    ValidationError: "Das passt so nicht. Prüfe, was du eingegeben hast.",
    BadRequest: "Das passt so nicht. Prüfe, was du eingegeben hast.",
    InvalidStatusTransition: "Der Stand ist inzwischen ein anderer. Lade die Ansicht neu.",
    Conflict: "Das verträgt sich nicht mit dem, was schon da ist. Lade die Ansicht neu und sieh nach.",
    PayloadTooLarge: "Das ist zu groß.",
    UnsupportedMediaType: "Dateien dieser Art nimmt der Server nicht an.",
    TooManyRequests: "Das war zu oft. Warte eine Minute und versuche es dann noch einmal.",
    InternalServerError: "Auf dem Server ging etwas schief. Versuche es noch einmal.",
    NotImplemented: "Das kann dieser Server nicht.",
    ServiceUnavailable: "Das geht gerade nicht. Warte einen Augenblick und versuche es dann noch einmal.",
    BotNotConnected: "Dahinter antwortet gerade niemand. Versuche es später noch einmal.",
    BotTimeout: "Dahinter antwortet gerade niemand. Versuche es später noch einmal.",
    other: "Das hat der Server abgelehnt.",
  },
});

/** Kinds of which the server's words tell nothing more. */
const ARE_ENOUGH = [
  ...["Offline", "PublicUrlNeeded", "NotFound", "ReauthenticationRequired", "AccountBanned"],
  ...["PasskeyNotGiven", "PasskeyKnown", "PasskeysUnavailable"],
];

const tables = signal<{ [of in "en" | "de"]?: Table }>({});

effect(() => {
  const language = locale.value;
  if (tables.peek()[language]) return;
  const table = language === "de" ? import("./german") : import("./english");
  table.then(
    (found) => {
      const loaded = "GERMAN" in found ? found.GERMAN : found.ENGLISH;
      tables.value = { ...tables.peek(), [language]: loaded };
    },
    // Without them, the words of the kinds are left.
    () => {},
  );
});

/** The words of a refusal for its reader. */
export function refusalWords(refusal: Refusal): string {
  const { kind, status, message } = refusal;
  const isEnglish = locale.value === "en";
  const table = tables.value[locale.value];
  const known = table ? knownWords(refusal, table, isEnglish) : null;
  if (known !== null) return known;
  // A proxy tells in its own way that the server is away.
  const words = kinds()[kind === "" && status >= 500 ? "Offline" : kind] ?? (isEnglish ? message : "");
  const shown = words || (kinds().other as string);
  return shown === message || message === "" || ARE_ENOUGH.includes(kind) ? shown : `${shown} (${message})`;
}

/** The end of a sentence that begins with the name of the field that is wrong. */
export function faultWords(message: string): string {
  const table = tables.value[locale.value];
  return (table && wordsIn(message, table.faults, table.faultPatterns)) ?? message;
}
