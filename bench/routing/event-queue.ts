// Events in order of time: a binary heap.

export interface EventQueue<Event> {
  add(at: number, event: Event): void;
  /** Removes the earliest event. Undefined: there is none. */
  next(): { readonly at: number; readonly event: Event } | undefined;
}

export function createEventQueue<Event>(): EventQueue<Event> {
  const heap: { readonly at: number; readonly event: Event }[] = [];
  const timeOf = (index: number): number => heap[index]?.at ?? Number.POSITIVE_INFINITY;
  const swap = (one: number, other: number): void => {
    const moved = heap[one];
    const replaced = heap[other];
    if (moved && replaced) [heap[one], heap[other]] = [replaced, moved];
  };

  return {
    add(at, event) {
      heap.push({ at, event });
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (timeOf(parent) <= timeOf(index)) break;
        swap(parent, index);
        index = parent;
      }
    },
    next() {
      swap(0, heap.length - 1);
      const first = heap.pop();
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        const child = timeOf(left + 1) < timeOf(left) ? left + 1 : left;
        if (timeOf(index) <= timeOf(child)) break;
        swap(index, child);
        index = child;
      }
      return first;
    },
  };
}
