/** Whether the server has been told to stop: it finishes what is under way, and nothing new should be sent to it. */
let stopping = false;

export const isStopping = (): boolean => stopping;

export function beginStop(): void {
  stopping = true;
}
