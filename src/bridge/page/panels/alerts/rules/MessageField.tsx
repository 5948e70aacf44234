import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { fleet } from "../../../fleet";
import { AreaField } from "../../../ui/form";
import { common } from "../../../ui/words";
import type { Draft } from "./draft";
import { filled, PLACEHOLDERS, type Placeholder, unknownWord } from "./message";
import type { SetDraft } from "./RuleEditor";
import { words } from "./words";

/** The rule in its maker's own words: buttons put the words in braces in, and the text is shown as it will read. */
export function MessageField({ draft, set }: { draft: Draft; set: SetDraft }): JSX.Element {
  const t = words();
  const box = useRef<HTMLDivElement>(null);
  const { message } = draft;
  const insert = (word: Placeholder) => {
    const area = box.current?.querySelector("textarea");
    if (!area) return;
    area.focus();
    area.setRangeText(`{${word}}`, area.selectionStart, area.selectionEnd, "end");
    set({ message: area.value });
  };
  const device = [...fleet.value.values()].find(
    ({ device }) => draft.devices === "all" || draft.deviceIds.includes(device.value.id),
  );
  const samples = { ...t.sample, ...(device && { device: device.device.value.name }) };
  const unknown = unknownWord(message);
  return (
    <div class="message-field" ref={box}>
      <AreaField
        label={`${t.message} (${common().optional})`}
        hint={t.messageHint}
        maxLength={500}
        rows={2}
        value={message}
        onInput={(text) => set({ message: text })}
      />
      <div class="placeholders">
        {PLACEHOLDERS.map((word) => (
          <button key={word} type="button" class="button small-button" onClick={() => insert(word)}>
            {t.placeholders[word]} <code>{`{${word}}`}</code>
          </button>
        ))}
      </div>
      {unknown !== null && <p class="notice warn">{t.unknown(unknown)}</p>}
      {message.trim() !== "" && unknown === null && (
        <p class="preview">
          <span class="hint">{t.preview}</span>
          <output>{filled(message, samples)}</output>
        </p>
      )}
    </div>
  );
}
