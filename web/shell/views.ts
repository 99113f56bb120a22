// The views besides the chat. Each is loaded when it is first opened.

import type { View } from './view.ts';

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
