// The views besides the chat. Each is loaded when it is first opened.

import type { FunctionComponent } from 'preact';
import type { IconName } from '../ui/icon.tsx';

export interface View {
  /** The first part of the address. */
  readonly name: string;
  readonly title: string;
  /** Absent: the sidebar does not list it. */
  readonly icon?: IconName;
  /** Called when the view is first opened. `id` is the second part of the address; empty if there is none. */
  readonly load: () => Promise<FunctionComponent<{ readonly id: string }>>;
}

export const views: readonly View[] = [
  {
    name: 'models',
    title: 'Models',
    icon: 'models',
    load: async () => (await import('../models/models-view.tsx')).ModelsView,
  },
  {
    name: 'create',
    title: 'Create a model',
    load: async () => (await import('../models/create-view.tsx')).CreateView,
  },
  {
    name: 'now',
    title: 'Now',
    icon: 'now',
    load: async () => (await import('../now/now-view.tsx')).NowView,
  },
  {
    name: 'connect',
    title: 'Connect',
    icon: 'connect',
    load: async () => (await import('../connect/connect-view.tsx')).ConnectView,
  },
];

export function findView(name: string): View | undefined {
  return views.find((view) => view.name === name);
}
