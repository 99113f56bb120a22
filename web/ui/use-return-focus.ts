// Gives the focus back to where it was, when a component disappears that took it.

import { useLayoutEffect } from 'preact/hooks';

export function useReturnFocus(): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
}
