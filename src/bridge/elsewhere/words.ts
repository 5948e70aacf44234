import type { Reason } from "../../identity/oidc/refusals";
import type { Locale } from "../authorize/words";

/** The texts of the page that tells why a sign-in through a provider ended without one. */
interface Words {
  title: string;
  /** The reason, by the name of the provider; and the next thing to do or to look at. */
  reasons: Record<Reason, (provider: string) => readonly [reason: string, advice: string]>;
  again: string;
  back: string;
}

export const WORDS: Record<Locale, Words> = {
  en: {
    title: "The sign-in did not work",
    reasons: {
      unknown_provider: () => [
        "This server knows no such provider.",
        "Whoever runs it finds the names in its configuration, under oidc.",
      ],
      state_unknown: () => [
        "This sign-in was not started here, was completed already, or took longer than ten minutes.",
        "Start again.",
      ],
      other_browser: () => [
        "This sign-in was started in another browser, or this one keeps no cookies.",
        "Start again here. If that doesn't help, allow cookies for this server, and open it by the address that whoever runs it has set as server.public_url.",
      ],
      denied: (provider) => [
        `${provider} says that access was denied: by you, or by a rule there.`,
        `Start again and agree. If you did, ask whoever runs ${provider} whether you may use this application.`,
      ],
      provider_error: (provider) => [
        `${provider} refused the sign-in.`,
        "Whoever runs this server finds in its log what was said.",
      ],
      provider_unreachable: (provider) => [
        `${provider} does not answer, or not in time.`,
        "Try again in a moment. If it lasts, whoever runs this server should check the issuer in its configuration and the way to it.",
      ],
      client_refused: (provider) => [
        `${provider} refuses this server: the client ID or the client secret is wrong.`,
        "Whoever runs this server compares client_id and client_secret in its configuration with those at the provider.",
      ],
      code_refused: (provider) => [
        `${provider} refused the code that it had given out.`,
        "Start again. If it lasts, the redirect address that is registered there may differ from this server's.",
      ],
      clock_skew: (provider) => [
        `The clocks of ${provider} and of this server differ by more than a minute.`,
        "Whoever runs this server checks the time on both machines (timedatectl).",
      ],
      bad_answer: (provider) => [
        `The answer of ${provider} is not one that this server may trust.`,
        "Nothing was changed. Whoever runs this server finds in its log which check failed.",
      ],
      not_registered: (provider) => [
        `No account here belongs to this account at ${provider}, and none is made by itself.`,
        "If you have an account here, sign in to it another way and link the other under My account. Else ask whoever runs this server.",
      ],
      address_taken: (provider) => [
        `An account here has the email address that ${provider} tells of, and it isn't certain that both are yours.`,
        "Sign in to that account another way, and link the other under My account.",
      ],
      banned: () => ["This account is banned.", "Ask whoever runs this server."],
      deleted: () => ["This account was deleted.", "Ask whoever runs this server."],
      identity_taken: (provider) => [
        `This account at ${provider} is linked to another account here already.`,
        "Remove it there first, or sign in at the provider as somebody else.",
      ],
      other_identity: (provider) => [
        `You signed in at ${provider} with an account that is not linked to yours here.`,
        "Start again, and sign in there with the linked one.",
      ],
      not_fresh: (provider) => [
        `${provider} does not say that you have just signed in there.`,
        `Sign out at ${provider} and start again. If that changes nothing, sign out here, and sign in again or another way.`,
      ],
    },
    again: "Start again",
    back: "To the sign-in page",
  },
  de: {
    title: "Die Anmeldung hat nicht geklappt",
    reasons: {
      unknown_provider: () => [
        "Diesen Anbieter kennt der Server nicht.",
        "Wer den Server betreibt, findet die Namen in seiner Konfiguration unter oidc.",
      ],
      state_unknown: () => [
        "Diese Anmeldung wurde nicht hier begonnen, ist schon abgeschlossen oder hat länger als zehn Minuten gedauert.",
        "Beginne von vorn.",
      ],
      other_browser: () => [
        "Diese Anmeldung wurde in einem anderen Browser begonnen, oder dieser behält keine Cookies.",
        "Beginne hier von vorn. Hilft das nicht, erlaube Cookies für diesen Server und öffne ihn unter der Adresse, die der Betreiber als server.public_url gesetzt hat.",
      ],
      denied: (provider) => [
        `${provider} meldet, dass der Zugang abgelehnt wurde: von dir oder von einer Regel dort.`,
        `Beginne von vorn und stimme zu. Hast du das getan, frage den Betreiber von ${provider}, ob du diese Anwendung benutzen darfst.`,
      ],
      provider_error: (provider) => [
        `${provider} hat die Anmeldung abgelehnt.`,
        "Wer den Server betreibt, findet in seinem Protokoll den Grund.",
      ],
      provider_unreachable: (provider) => [
        `${provider} antwortet nicht oder nicht rechtzeitig.`,
        "Versuche es gleich noch einmal. Bleibt es dabei, sollte der Betreiber den issuer in der Konfiguration und den Weg dorthin prüfen.",
      ],
      client_refused: (provider) => [
        `${provider} weist diesen Server ab: client_id oder client_secret ist falsch.`,
        "Wer den Server betreibt, vergleicht beide in der Konfiguration mit denen beim Anbieter.",
      ],
      code_refused: (provider) => [
        `${provider} nimmt den Code nicht an, den es selbst vergeben hat.`,
        "Beginne von vorn. Bleibt es dabei, weicht vielleicht die dort eingetragene Rückkehradresse von der dieses Servers ab.",
      ],
      clock_skew: (provider) => [
        `Die Uhren von ${provider} und von diesem Server gehen um mehr als eine Minute auseinander.`,
        "Wer den Server betreibt, prüft die Zeit auf beiden Maschinen (timedatectl).",
      ],
      bad_answer: (provider) => [
        `Der Antwort von ${provider} darf dieser Server nicht trauen.`,
        "Es wurde nichts geändert. Wer den Server betreibt, findet in seinem Protokoll, welche Prüfung fehlschlug.",
      ],
      not_registered: (provider) => [
        `Zu diesem Konto bei ${provider} gehört hier keines, und von selbst wird keines angelegt.`,
        "Hast du hier ein Konto, melde dich auf einem anderen Weg an und verknüpfe das andere unter „Mein Konto“. Sonst frage den Betreiber.",
      ],
      address_taken: (provider) => [
        `Ein Konto hier hat die E-Mail-Adresse, die ${provider} nennt, und es ist nicht sicher, dass beide deine sind.`,
        "Melde dich an jenem Konto auf einem anderen Weg an und verknüpfe das andere unter „Mein Konto“.",
      ],
      banned: () => ["Dieses Konto ist gesperrt.", "Frage den Betreiber des Servers."],
      deleted: () => ["Dieses Konto wurde gelöscht.", "Frage den Betreiber des Servers."],
      identity_taken: (provider) => [
        `Dieses Konto bei ${provider} ist hier schon mit einem anderen Konto verknüpft.`,
        "Entferne es dort zuerst, oder melde dich beim Anbieter als jemand anderes an.",
      ],
      other_identity: (provider) => [
        `Du hast dich bei ${provider} mit einem Konto angemeldet, das nicht mit deinem verknüpft ist.`,
        "Beginne von vorn und melde dich dort mit dem verknüpften an.",
      ],
      not_fresh: (provider) => [
        `${provider} sagt nicht, dass du dich gerade dort angemeldet hast.`,
        `Melde dich bei ${provider} ab und beginne von vorn. Ändert das nichts, melde dich hier ab und wieder oder auf einem anderen Weg an.`,
      ],
    },
    again: "Von vorn beginnen",
    back: "Zur Anmeldung",
  },
};
