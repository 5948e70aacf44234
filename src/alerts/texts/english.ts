import type { Language } from "./language";

export const english: Language = {
  test: (name) => ({
    title: "Test of Fairlead",
    body: `This is a test of the notification target “${name}”. Alerts will arrive like this.`,
  }),
  greeting: "Hello,",
  asked: (site, who) =>
    `${who} entered this address for alerts of Fairlead on ${site}. If you don't want them, tell ${who}, or whoever runs this installation.`,
  own: (site) => `You get this because your address was entered for alerts of Fairlead on ${site}.`,
  key: (name) => `The API key “${name}”`,
  somebody: "Somebody",
  footer: (site) => `Fairlead on ${site} sent this email automatically. Replies are not read.`,
};
