// What is loaded when it is first needed.

import { useEffect, useState } from 'preact/hooks';

/** undefined until it is there. Without the server, the service worker has it. */
export function useLoaded<Module>(load: () => Promise<Module>): Module | undefined {
  const [loaded, setLoaded] = useState<Module | undefined>(undefined);
  useEffect(
    () =>
      void load()
        .then((module) => setLoaded(() => module))
        .catch(() => {}),
    [],
  );
  return loaded;
}
