import type { Page } from "playwright-core";

/**
 * Chromium's own authenticator (Chrome DevTools Protocol, WebAuthn), which verifies its user without asking and keeps its
 * passkeys as long as the page stands.
 */
export async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** The passkeys that it keeps. */
    credentials: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    /** From now on its user passes, or fails, the test of fingerprint or PIN. */
    setVerified: (isUserVerified: boolean) =>
      session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    forgetAll: () => session.send("WebAuthn.clearCredentials", { authenticatorId }),
  };
}
