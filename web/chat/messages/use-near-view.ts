// Whether an element has been near the view of its scroller. It then stays rendered.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Beyond each edge of the view. */
const margin = '1200px';

const observers = new WeakMap<Element, IntersectionObserver>();
const listeners = new WeakMap<Element, () => void>();

/** One observer for each scroller: a conversation can have thousands of messages. */
function observerOf(scroller: Element): IntersectionObserver {
  const existing = observers.get(scroller);
  if (existing !== undefined) return existing;
  const notify = (entries: readonly IntersectionObserverEntry[]): void => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) listeners.get(target)?.();
  };
  const observer = new IntersectionObserver(notify, { root: scroller, rootMargin: `${margin} 0px` });
  observers.set(scroller, observer);
  return observer;
}

/** `isAlways`: the element is rendered wherever it is. */
export function useNearView(reference: RefObject<Element | null>, isAlways: boolean): boolean {
  const [isNear, setNear] = useState(isAlways);
  useEffect(() => {
    const element = reference.current;
    const scroller = element?.closest('.messages');
    if (isNear || element === null || scroller === null || scroller === undefined) return;
    const observer = observerOf(scroller);
    listeners.set(element, () => setNear(true));
    observer.observe(element);
    return () => {
      listeners.delete(element);
      observer.unobserve(element);
    };
  }, [isNear]);
  return isNear || isAlways;
}
