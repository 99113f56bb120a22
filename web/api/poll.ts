// Repeats a request as long as the page is visible.

/** The interval goes from the end of a request to the next one. The result stops the requests. */
export function pollWhileVisible(read: () => Promise<void>, intervalMs: number): () => void {
  let timer: number | undefined;
  let isReading = false;
  let isStopped = false;
  const next = async (): Promise<void> => {
    window.clearTimeout(timer);
    if (isReading || isStopped || document.visibilityState !== 'visible') return;
    isReading = true;
    // What was read before stays; `isOnline` tells the user.
    await read().catch(() => {});
    isReading = false;
    timer = window.setTimeout(next, intervalMs);
  };
  document.addEventListener('visibilitychange', next);
  void next();
  return () => {
    isStopped = true;
    window.clearTimeout(timer);
    document.removeEventListener('visibilitychange', next);
  };
}
