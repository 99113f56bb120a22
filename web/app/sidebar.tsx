// The sidebar: a new chat, search, the conversations, and the other views. On a phone it covers the page while it is open.

import { endSession, keyName } from '../api/session.ts';
import { ChatList } from '../chat/history/chat-list.tsx';
import type { Workspace } from '../chat/session/workspace.ts';
import { t } from '../language/language.ts';
import { Icon, IconButton } from '../ui/icon.tsx';
import { currentLocation, toHash } from '../ui/router.ts';
import { views } from './views.tsx';

interface SidebarProps {
  readonly workspace: Workspace;
  readonly onSignOut: () => void;
  readonly dialogs: Readonly<Record<'search' | 'manage' | 'library' | 'settings' | 'shortcuts', () => void>>;
  readonly onClose: () => void;
}

export function Sidebar({ workspace, onSignOut, dialogs, onClose }: SidebarProps) {
  return (
    <aside class="sidebar" aria-label={t('Sidebar')}>
      <header>
        <img src="/page/icon.svg" alt="" width="24" height="24" />
        <strong>Hearth</strong>
        <IconButton icon="close" label={t('Close the sidebar')} class="phone-only" onClick={onClose} />
      </header>
      <div class="sidebar-actions">
        <a class="button" href={toHash({ view: '', id: '' })} title={t('New chat (Ctrl Shift O)')}>
          <Icon name="plus" />
          {t('New chat')}
        </a>
        <button type="button" class="button" title={t('Search chats (Ctrl K)')} onClick={dialogs.search}>
          <Icon name="search" />
          {t('Search')}
        </button>
      </div>
      <ChatList workspace={workspace} />
      <ViewList />
      <footer>
        {workspace.isDurable ? null : (
          <p>{t('This server does not store chats. They are gone when you close the page.')}</p>
        )}
        <div class="tools">
          <IconButton icon="gear" label={t('Settings')} onClick={dialogs.settings} />
          <IconButton icon="folder" label={t('Manage chats')} onClick={dialogs.manage} />
          <IconButton icon="book" label={t('Presets and prompts')} onClick={dialogs.library} />
          <IconButton icon="keyboard" label={t('Keyboard shortcuts (?)')} onClick={dialogs.shortcuts} />
        </div>
        <SignOut onSignOut={onSignOut} />
      </footer>
    </aside>
  );
}

/** Shown only with a key. If the server does not answer, the cookie stays, and so does the page. */
function SignOut({ onSignOut }: Pick<SidebarProps, 'onSignOut'>) {
  if (keyName.value === undefined) return null;
  const signOut = async (): Promise<void> => {
    const next = await endSession();
    onSignOut();
    window.location.assign(next);
  };
  return (
    <p class="session">
      {keyName}
      <button type="button" class="link" onClick={() => signOut().catch(() => {})}>
        {t('Sign out')}
      </button>
    </p>
  );
}

function ViewList() {
  const { view: current } = currentLocation.value;
  return (
    <nav class="view-list" aria-label={t('Views')}>
      {views.map(({ name, title, icon, isListed = () => true }) =>
        icon === undefined || !isListed() ? null : (
          <a key={name} href={toHash({ view: name, id: '' })} aria-current={name === current ? 'page' : undefined}>
            <Icon name={icon} />
            {t(title)}
          </a>
        ),
      )}
      <a href="/docs">
        <Icon name="api" />
        {t('API')}
      </a>
    </nav>
  );
}
