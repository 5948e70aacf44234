import type { Locale } from "../../kernel/values/bilingual";
import type { AlertWords } from "./alert-words";
import { english } from "./english";
import { german } from "./german";

/** The words that deliveries add to those of alerts. */
export interface Language {
  /** Title and text of the test of a target. */
  test: (targetName: string) => { title: string; body: string };
  /** Title and text of the head of the audit log after a day. */
  auditHead: (head: { date: string; number: number; hash: string }) => { title: string; body: string };
  /** Title and text of a test of a device's anchor watch. */
  anchorTest: (device: string) => { title: string; body: string };
  /** An alert in a sentence, without a full stop. */
  headline: (words: AlertWords) => string;
  /** Title and text of what is told of an alert. */
  alert: (words: AlertWords) => { title: string; body: string };
  greeting: string;
  /** Note to a mailbox: the site, and who asked for emails there. */
  asked: (site: string, who: string) => string;
  /** Note to a maker's own mailbox. */
  own: (site: string) => string;
  /** The one who asked, where it is a key of the installation. */
  key: (name: string) => string;
  /** The one who asked, where nothing is known of it any more. */
  somebody: string;
  footer: (site: string) => string;
}

export const LANGUAGES: Record<Locale, Language> = { en: english, de: german };
