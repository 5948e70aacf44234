import type { JSX } from "preact";
import { inLanguages } from "../language";
import { me } from "../session";
import { Dialog } from "../ui/dialog";
import { SignIn } from "./SignIn";

const words = inLanguages({
  en: {
    title: "Signed out",
    lead: "Your session has ended. What you typed is still here: sign in to go on.",
  },
  de: {
    title: "Abgemeldet",
    lead: "Deine Sitzung ist zu Ende. Was du geschrieben hast, ist noch da: Melde dich an, um weiterzumachen.",
  },
});

/** Stands over the page when the session has ended, and leaves everything below as it was. */
export function Return(): JSX.Element {
  const t = words();
  return (
    <Dialog title={t.title}>
      <p>{t.lead}</p>
      <SignIn identifier={me.value?.username ?? ""} />
    </Dialog>
  );
}
