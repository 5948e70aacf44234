/** Languages that emails are written in, and that users choose from. */
export const LOCALES = ["en", "de"] as const;
