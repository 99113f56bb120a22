// The view that the address names: `#/` for a new chat, `#/temporary` for one that is not stored, `#/chat/ID`, `#/shared/LINK`
// for one of another user, or a view such as `#/models`. A hash needs no route on the server.

import { signal } from '@preact/signals';

/** The view of a chat that is not stored. */
export const temporaryView = 'temporary';

/** The view of a chat that another user shares. */
export const sharedView = 'shared';

interface PageLocation {
  /** The first part of the address; empty at the beginning. */
  readonly view: string;
  /** The second part; empty if there is none. */
  readonly id: string;
}

export function parseHash(hash: string): PageLocation {
  const [, view = '', id = ''] = hash.split('/');
  return { view: decode(view), id: decode(id) };
}

export function toHash({ view, id }: PageLocation): string {
  return `#/${[view, id]
    .filter((part) => part !== '')
    .map(encodeURIComponent)
    .join('/')}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

export const currentLocation = signal<PageLocation>({ view: '', id: '' });

/** Must be called once, when the page starts. */
export function watchLocation(): void {
  const read = (): void => {
    currentLocation.value = parseHash(window.location.hash);
  };
  read();
  window.addEventListener('hashchange', read);
}

export function navigate(location: PageLocation): void {
  window.location.hash = toHash(location);
}

/** Changes the address of what is shown already. */
export function renameLocation(location: PageLocation): void {
  window.history.replaceState(null, '', toHash(location));
  currentLocation.value = location;
}
