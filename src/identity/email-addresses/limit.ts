import { HOUR, SECOND } from "../../kernel/clock";

/** Emails that one credential may have sent to addresses of its choice. */
export const verificationEmailLimit = {
  name: "verification-email",
  rate: () => ({ requests: 30, seconds: HOUR / SECOND }),
};
