import { signal } from "@preact/signals";

/** Sounds, made by the browser itself. Browsers let a page make none before its reader has touched it. */

/** `waiting`: for a touch, or the system has taken the sound away; `none`: this browser makes no sounds. */
export const soundState = signal<"waiting" | "on" | "none">("waiting");

let context: AudioContext | null = null;
let isWanted = false;
let endWail: (() => void) | null = null;
/** Tones that are sounding. */
let tones = 0;
/** True while the browser's audio is stopped since there is nothing to sound. It may be started again without a touch. */
let isResting = false;

/** Starts or stops the siren as it is wanted, as far as the browser allows it, and the browser's audio with it. */
function review(): void {
  const isRunning = context?.state === "running";
  if (soundState.value !== "none")
    soundState.value = isRunning || (isResting && context?.state === "suspended") ? "on" : "waiting";
  if (isWanted) {
    if (context && isRunning) endWail ??= wail(context);
    else if (isResting) void wake();
    return;
  }
  endWail?.();
  endWail = null;
  if (!isRunning || tones > 0) return;
  isResting = true;
  void context?.suspend();
}

/** Starts the browser's audio. Without a touch of the page, the promise stays open until there is one. */
async function wake(): Promise<void> {
  isResting = false;
  await context?.resume();
  review();
}

/** Asks the browser for sound; it says yes after a touch, and on a display that is set up to allow it. */
export async function askForSound(): Promise<void> {
  if (typeof AudioContext === "undefined") {
    soundState.value = "none";
    return;
  }
  if (!context) {
    context = new AudioContext();
    context.onstatechange = review;
  }
  if (context.state !== "running" && !isResting) await wake();
  review();
}

for (const gesture of ["pointerup", "keydown", "click"])
  addEventListener(
    gesture,
    () => {
      if (soundState.peek() === "waiting") void askForSound();
    },
    { capture: true, passive: true },
  );

/** A tone that changes between two pitches, in bursts of two seconds. The browser's audio keeps the time: no timer sleeps. */
function wail(of: AudioContext): () => void {
  const [tone, pitch, burst] = [of.createOscillator(), of.createOscillator(), of.createOscillator()];
  const [volume, swing, share] = [of.createGain(), of.createGain(), of.createGain()];
  tone.type = "triangle";
  tone.frequency.value = 780;
  pitch.type = burst.type = "square";
  pitch.frequency.value = 2;
  burst.frequency.value = 0.25;
  swing.gain.value = 180;
  volume.gain.value = share.gain.value = 0.2;
  pitch.connect(swing).connect(tone.frequency);
  burst.connect(share).connect(volume.gain);
  tone.connect(volume).connect(of.destination);
  for (const each of [tone, pitch, burst]) each.start();
  return () => {
    for (const each of [tone, pitch, burst]) each.stop();
    volume.disconnect();
  };
}

/** Lets the siren wail, or be still. It begins as soon as the browser allows sound. */
export function siren(isOn: boolean): void {
  isWanted = isOn;
  review();
}

/** One short tone, where sound is allowed. */
export async function chime(): Promise<void> {
  if (!context || soundState.value !== "on") return;
  tones++;
  if (isResting) await wake();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  const now = context.currentTime;
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.25, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.6);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(now + 0.6);
  tone.onended = () => {
    tones--;
    review();
  };
}
