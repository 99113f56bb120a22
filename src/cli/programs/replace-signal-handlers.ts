// Signals while another program has the terminal, such as an editor: the handlers of the command do not apply.

type SignalHandler = (signal: NodeJS.Signals) => void;

/** Returns a function that restores the former handlers. */
export function replaceSignalHandlers(signals: readonly NodeJS.Signals[], handler: SignalHandler): () => void {
  const former = signals.map((signal) => ({ signal, handlers: process.listeners(signal) as SignalHandler[] }));
  for (const { signal, handlers } of former) {
    // Added first: without any handler, the signal would end the process.
    process.on(signal, handler);
    for (const each of handlers) process.off(signal, each);
  }
  return () => {
    for (const { signal, handlers } of former) {
      for (const each of handlers) process.on(signal, each);
      process.off(signal, handler);
    }
  };
}
