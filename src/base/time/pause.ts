import { type Clock, keepProcessAlive } from './clock.ts';

interface PauseOptions {
  /** For a process that may have nothing else to do. Otherwise it would end during the pause. */
  readonly keepsProcessAlive?: boolean;
}

export async function pause(clock: Clock, milliseconds: number, options: PauseOptions = {}): Promise<void> {
  const release = options.keepsProcessAlive ? keepProcessAlive() : undefined;
  await new Promise<void>((resolve) => {
    clock.after(milliseconds, resolve);
  });
  release?.();
}
