// A function of a native library, with the types that its header gives it.

import type { LibraryHandle } from 'koffi';

/** koffi types every function as `any`; from here on they have the types of the header. */
export function bind<Signature>(library: LibraryHandle, declaration: string): Signature {
  return library.func(declaration) as Signature;
}
