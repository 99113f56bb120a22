// The frame of the page: the sidebar, and the view that the address names.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { ChatView } from '../chat/chat-view.tsx';
import { SearchDialog } from '../chat/history/search-dialog.tsx';
import type { ChatSession } from '../chat/session/chat-session.ts';
import type { Workspace } from '../chat/session/workspace.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { currentLocation, navigate } from '../ui/router.ts';
import { addShortcuts } from '../ui/shortcuts.ts';
import { LoadedView } from './loaded-view.tsx';
import { Sidebar } from './sidebar.tsx';
import { findView } from './views.ts';

export function App({ workspace }: { readonly workspace: Workspace }) {
  const isSidebarOpen = useSignal(false);
  const isSearching = useSignal(false);
  const set = (state: Signal<boolean>, value: boolean) => (): void => {
    state.value = value;
  };
  useEffect(
    () =>
      addShortcuts([
        { key: 'k', control: true, run: set(isSearching, true) },
        { key: 'o', control: true, shift: true, run: () => navigate({ view: '', id: '' }) },
      ]),
    [],
  );
  // What was chosen in the sidebar is shown.
  const location = currentLocation.value;
  const view = findView(location.view);
  useEffect(set(isSidebarOpen, false), [location]);
  return (
    <div class={isSidebarOpen.value ? 'app sidebar-open' : 'app'}>
      <IconButton
        icon="menu"
        label="Open the sidebar"
        class="menu phone-only"
        expanded={isSidebarOpen.value}
        onClick={set(isSidebarOpen, true)}
      />
      <Sidebar workspace={workspace} onSearch={set(isSearching, true)} onClose={set(isSidebarOpen, false)} />
      {/* For pointers alone: the sidebar has a button that closes it. */}
      <button type="button" class="scrim" aria-hidden="true" tabIndex={-1} onClick={set(isSidebarOpen, false)} />
      <main>
        {view === undefined ? (
          <CurrentChat workspace={workspace} />
        ) : (
          <LoadedView key={view.name} view={view} id={location.id} />
        )}
      </main>
      {isSearching.value ? <SearchDialog workspace={workspace} onClose={set(isSearching, false)} /> : null}
    </div>
  );
}

/** The conversation of the address. A new one has none until its first message. */
function CurrentChat({ workspace }: { readonly workspace: Workspace }) {
  const { id } = currentLocation.value;
  const session = useSignal<ChatSession | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    // A new conversation has got its address.
    if (id !== '' && session.peek()?.document.peek().id === id) return;
    let isCurrent = true;
    const show = (opened: ChatSession | undefined, reason: string): void => {
      if (!isCurrent) return;
      session.value = opened;
      problem.value = opened === undefined ? reason : '';
    };
    if (id === '') show(workspace.begin(), '');
    else
      workspace.open(id).then(
        (opened) => show(opened, 'There is no such chat. It may have been deleted.'),
        (error) => show(undefined, messageOf(error)),
      );
    return () => {
      isCurrent = false;
    };
  }, [id, workspace]);
  if (session.value !== undefined) return <ChatView key={session.value.document.peek().id} session={session.value} />;
  return problem.value === '' ? null : (
    <p class="problem centered" role="alert">
      {problem}
    </p>
  );
}
