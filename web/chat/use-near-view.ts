// Whether an element has been near the view. It then stays rendered.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const listeners = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** One observer for all: a conversation can have thousands of messages. */
function observe(element: Element, onNear: () => void): () => void {
  const shared =
    observer ??
    new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) if (isIntersecting) listeners.get(target)?.();
      },
      { rootMargin: '1200px 0px' },
    );
  observer = shared;
  listeners.set(element, onNear);
  shared.observe(element);
  return () => {
    listeners.delete(element);
    shared.unobserve(element);
  };
}

export function useNearView(reference: RefObject<Element>, initially: boolean): boolean {
  const [isNear, setNear] = useState(initially);
  useEffect(() => {
    if (isNear || reference.current === null) return;
    return observe(reference.current, () => setNear(true));
  }, [isNear]);
  return isNear || initially;
}
