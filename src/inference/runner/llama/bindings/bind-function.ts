// A function of a native library, with the types that its header gives it.

import type { LibraryHandle } from 'koffi';

/** koffi types every function as `any`; from here on they have the types of the header. */
export function bindFunction<Signature>(backend: LibraryHandle, declaration: string): Signature {
  return backend.func(declaration) as Signature;
}
