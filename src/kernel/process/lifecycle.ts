/** True once the server has been told to stop: it finishes running requests, and should get no new ones. */
let stopping = false;

export const isStopping = (): boolean => stopping;

export function beginStop(): void {
  stopping = true;
}
