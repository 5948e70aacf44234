import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, call } from "../api";
import { BASE } from "../base";
import { inLanguages } from "../language";
import { bound, TextField } from "./form";
import { useLoaded } from "./loaded";

/** The address of this server in links and QR codes: that of the page, unless it leads each machine to itself. */

const words = inLanguages({
  en: {
    label: "Address of this server",
    hint: "This page is open by an address that only the server's own machine knows. Phones and others need one that they reach.",
    closed: "The server listens to its own machine alone, so no phone reaches it. Start it again like this:",
  },
  de: {
    label: "Adresse dieses Servers",
    hint: "Diese Seite ist unter einer Adresse offen, die nur der Rechner des Servers kennt. Telefone und andere brauchen eine, die sie erreichen.",
    closed:
      "Der Server hört nur auf seinen eigenen Rechner, kein Telefon erreicht ihn. Starte ihn neu, und zwar so:",
  },
});

const RESTART = "npm start -- --host 0.0.0.0";

/** True if the page is open by an address that leads each machine to itself. */
export const isLocal: boolean = /^(?:127\.[\d.]+|\[::1\]|(?:.*\.)?localhost)$/.test(new URL(BASE).hostname);

export interface Address {
  /** Without a slash at its end. */
  value: string;
  /** The field by which a reader gives one; null where the page's own is good. */
  field: JSX.Element | null;
}

/** The address that links and codes of a form begin with. */
export function useAddress(): Address {
  const t = words();
  const typed = useSignal("");
  const { data } = useLoaded(
    async () => (isLocal ? await call(() => api.GET("/bridge/addresses")) : null),
    [],
  );
  useEffect(() => {
    if (typed.value === "") typed.value = data?.addresses[0] ?? "";
  }, [data, typed]);
  if (!isLocal) return { value: BASE.replace(/\/$/, ""), field: null };
  const isUnreached = data?.is_closed && data.addresses.length === 0;
  const field = (
    <>
      {isUnreached && (
        <div class="notice warn">
          <p>{t.closed}</p>
          <code>{RESTART}</code>
        </div>
      )}
      <TextField
        label={t.label}
        hint={t.hint}
        type="url"
        placeholder="http://192.168.1.10:3000"
        required
        {...bound(typed)}
      />
    </>
  );
  return { value: typed.value.trim().replace(/\/+$/, ""), field };
}
