import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

/** A text as a code to scan. What draws it is loaded when the first one is shown. */
export function QrCode({ text, label }: { text: string; label: string }): JSX.Element | null {
  const image = useSignal<string | null>(null);
  useEffect(() => {
    void import("qrcode").then(async ({ toDataURL }) => {
      image.value = await toDataURL(text, { margin: 1, width: 260 });
    });
  }, [text, image]);
  return image.value === null ? null : (
    <img class="qr" src={image.value} alt={label} width={260} height={260} />
  );
}
