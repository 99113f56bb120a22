// The frame of the page: the sidebar, and the view that the address names.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { errorText, isOnline } from '../api/request.ts';
import { ChatView } from '../chat/chat-view.tsx';
import type { Drafts } from '../chat/drafts.ts';
import type { ChatSession } from '../chat/session/chat-session.ts';
import type { Workspace } from '../chat/session/workspace.ts';
import { t } from '../language/language.ts';
import type { PageSettingsStore } from '../storage/page-settings.ts';
import { closeDialog, showDialog, shownDialog } from '../ui/dialog.tsx';
import { IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { currentLocation, navigate, temporaryView } from '../ui/router.ts';
import { addShortcuts } from '../ui/shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { LoadedView, views } from './views.tsx';

interface AppProps {
  readonly workspace: Workspace;
  readonly drafts: Drafts;
  readonly settings: PageSettingsStore;
}

export function App({ workspace, drafts, settings }: AppProps) {
  const [isSidebarOpen, setSidebarOpen] = useState(false);
  const closeSidebar = (): void => setSidebarOpen(false);
  const dialogs = createDialogs({ workspace, settings });
  useEffect(
    () =>
      addShortcuts([
        { key: 'k', control: true, run: dialogs.search },
        { key: ',', control: true, run: dialogs.settings },
        { key: '/', control: true, run: dialogs.shortcuts },
        { key: '?', isPlain: true, run: dialogs.shortcuts },
        { key: 'o', control: true, shift: true, run: () => navigate({ view: '', id: '' }) },
      ]),
    [],
  );
  const location = currentLocation.value;
  const view = views.find(({ name }) => name === location.view);
  // What was chosen in the sidebar is shown.
  useEffect(closeSidebar, [location]);
  return (
    <div class={isSidebarOpen ? 'app sidebar-open' : 'app'}>
      <IconButton
        icon="menu"
        label={t('Open the sidebar')}
        class="menu phone-only"
        expanded={isSidebarOpen}
        onClick={() => setSidebarOpen(true)}
      />
      <Sidebar workspace={workspace} onSignOut={() => drafts.clear()} dialogs={dialogs} onClose={closeSidebar} />
      {/* For pointers alone: the sidebar has a button that closes it. */}
      <button type="button" class="scrim" aria-hidden="true" tabIndex={-1} onClick={closeSidebar} />
      <main>
        {view === undefined ? (
          <CurrentChat workspace={workspace} drafts={drafts} />
        ) : (
          <LoadedView key={view.name} view={view} id={location.id} workspace={workspace} />
        )}
      </main>
      <output class="offline">{isOnline.value ? '' : t('The server does not answer.')}</output>
      {shownDialog.value}
    </div>
  );
}

/** Dialogs are loaded when they are first opened. Without the server, the service worker has them. */
function createDialogs({ workspace, settings }: Omit<AppProps, 'drafts'>) {
  const show = (load: () => Promise<ComponentChildren>) => () => void load().then(showDialog, () => {});
  return {
    search: show(async () => {
      const { SearchDialog } = await import('../chat/history/search-dialog.tsx');
      return <SearchDialog workspace={workspace} onClose={closeDialog} />;
    }),
    manage: show(async () => {
      const { ManageDialog } = await import('../chat/history/manage-dialog.tsx');
      return <ManageDialog workspace={workspace} />;
    }),
    library: show(async () => {
      const { LibraryDialog } = await import('../library/library-dialog.tsx');
      return <LibraryDialog />;
    }),
    settings: show(async () => {
      const { PageSettingsDialog } = await import('./page-settings-dialog.tsx');
      return <PageSettingsDialog settings={settings} onClose={closeDialog} />;
    }),
    shortcuts: show(async () => {
      const { ShortcutsDialog } = await import('./shortcuts-dialog.tsx');
      return <ShortcutsDialog onClose={closeDialog} />;
    }),
  };
}

/** The conversation of the address. A new one has none until its first message. */
function CurrentChat({ workspace, drafts }: Omit<AppProps, 'settings'>) {
  const { view, id } = currentLocation.value;
  const isTemporary = view === temporaryView;
  const [session, setSession] = useState<ChatSession | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    // A new conversation has got its address.
    if (id !== '' && session?.document.peek().id === id) return;
    let isCurrent = true;
    const show = (opened: ChatSession | undefined, reason: string): void => {
      if (!isCurrent) return;
      setSession(opened);
      setProblem(reason);
    };
    if (id === '') {
      const begun = workspace.begin({ isTemporary });
      show(begun, '');
      return () => void workspace.end(begun);
    }
    workspace.open(id).then(
      (opened) => show(opened, t('There is no such chat. It may have been deleted.')),
      (error) => show(undefined, errorText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [id, isTemporary, workspace]);
  if (session === undefined) return <Problem text={problem} class="centered" />;
  return <ChatView key={session.document.peek().id} session={session} drafts={drafts} />;
}
