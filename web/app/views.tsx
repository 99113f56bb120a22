// The views besides the chat. Each is loaded when it is first opened.

import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { errorText } from '../api/request.ts';
import { isAdmin, isUser } from '../api/session.ts';
import type { Workspace } from '../chat/session/workspace.ts';
import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';
import type { IconName } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { sharedView } from '../ui/router.ts';

/** `id` is the second part of the address; empty if there is none. */
type ViewComponent = FunctionComponent<{ readonly id: string; readonly workspace: Workspace }>;

interface View {
  /** The first part of the address. */
  readonly name: string;
  readonly title: Label;
  /** Absent: the sidebar does not list the view. */
  readonly icon?: IconName;
  /** Whether the sidebar lists it for the user; absent: always. */
  readonly isListed?: () => boolean;
  readonly load: () => Promise<ViewComponent>;
}

export const views: readonly View[] = [
  {
    name: 'models',
    title: 'Models',
    icon: 'models',
    load: async () => (await import('../models/models-view.tsx')).ModelsView,
  },
  {
    name: 'catalogue',
    title: 'Find a model',
    load: async () => (await import('../models/catalogue-view.tsx')).CatalogueView,
  },
  {
    name: 'create',
    title: 'Create a model',
    load: async () => (await import('../models/create-view.tsx')).CreateView,
  },
  {
    name: 'eval',
    title: 'Evaluation',
    load: async () => (await import('../eval/eval-view.tsx')).EvalView,
  },
  {
    name: 'compare',
    title: 'Compare',
    icon: 'compare',
    load: async () => (await import('../compare/compare-view.tsx')).CompareView,
  },
  {
    name: 'files',
    title: 'Files',
    icon: 'book',
    load: async () => (await import('../files/files-view.tsx')).FilesView,
  },
  {
    name: sharedView,
    title: 'Shared chats',
    icon: 'folder',
    load: async () => (await import('../shared/shared-view.tsx')).SharedView,
  },
  {
    name: 'now',
    title: 'Now',
    icon: 'now',
    load: async () => (await import('../now/now-view.tsx')).NowView,
  },
  {
    name: 'keys',
    title: 'Keys',
    icon: 'key',
    isListed: () => isAdmin.value || isUser.value,
    load: async () => (await import('../keys/keys-view.tsx')).KeysView,
  },
  {
    name: 'connect',
    title: 'Connect',
    icon: 'connect',
    load: async () => (await import('../connect/connect-view.tsx')).ConnectView,
  },
];

const loaded = new Map<string, ViewComponent>();

interface LoadedViewProps {
  readonly view: View;
  readonly id: string;
  readonly workspace: Workspace;
}

export function LoadedView({ view: { name, title, load }, id, workspace }: LoadedViewProps) {
  const [problem, setProblem] = useState('');
  const [Component, setComponent] = useState(() => loaded.get(name));
  useEffect(() => {
    document.title = `${t(title)} – Hearth`;
    load().then(
      (found) => {
        loaded.set(name, found);
        setComponent(() => found);
      },
      (error) => setProblem(t('This view could not be loaded: {reason}', { reason: errorText(error) })),
    );
    return () => {
      document.title = 'Hearth';
    };
  }, []);
  return Component === undefined ? (
    <Problem text={problem} class="centered" />
  ) : (
    <Component id={id} workspace={workspace} />
  );
}
