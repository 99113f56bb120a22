// Joins texts that are written in one turn of the event loop. Each write is a system call, and requests that end together
// have lines of the log to write.

export interface BatchedWriter {
  write(text: string): void;
  /** Writes what is waiting, for a process that ends. */
  flush(): void;
}

// Characters.
const maxWaiting = 64 * 1024;

export function createBatchedWriter(write: (text: string) => void): BatchedWriter {
  let waiting = '';
  let isScheduled = false;

  const flush = (): void => {
    const text = waiting;
    waiting = '';
    if (text !== '') write(text);
  };

  return {
    write(text) {
      waiting += text;
      if (waiting.length >= maxWaiting) flush();
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        flush();
      });
    },
    flush,
  };
}
