// The conversations in the sidebar: pinned ones, folders, and the others by day.

import { useState } from 'preact/hooks';
import { errorText } from '../../api/request.ts';
import type { ListedChat } from '../../conversation/chat-document.ts';
import { plural, t } from '../../language/language.ts';
import { showDialog } from '../../ui/dialog.tsx';
import { Icon, IconButton } from '../../ui/icon.tsx';
import { MenuButton } from '../../ui/menu.tsx';
import { Problem } from '../../ui/problem.tsx';
import { currentLocation, navigate, toHash } from '../../ui/router.ts';
import type { Workspace } from '../session/workspace.ts';
import { groupChats } from './group-chats.ts';

export function ChatList({ workspace }: { readonly workspace: Workspace }) {
  return (
    <>
      <nav class="chat-list" aria-label={t('Chats')}>
        {groupChats(workspace.chats.value, new Date()).map(({ kind, label, chats }) => {
          const list = (
            <ul>
              {chats.map((chat) => (
                <ChatItem key={chat.id} workspace={workspace} chat={chat} />
              ))}
            </ul>
          );
          return kind === 'folder' ? (
            <details key={`folder ${label}`} open>
              <summary>
                <h2 dir="auto">{label}</h2>
              </summary>
              {list}
            </details>
          ) : (
            <section key={label}>
              <h2>{label}</h2>
              {list}
            </section>
          );
        })}
      </nav>
      <DeletionNotice workspace={workspace} />
    </>
  );
}

function ChatItem({ workspace, chat }: { readonly workspace: Workspace; readonly chat: ListedChat }) {
  const [isRenamed, setRenamed] = useState(false);
  const { id, title, pinned = false } = chat;
  // If the server refuses, the list shows what it has.
  const orRefresh = (change: Promise<void>): void => void change.catch(() => workspace.refresh().catch(() => {}));
  const isCurrent = id === currentLocation.value.id;
  const remove = (): void => {
    if (isCurrent) navigate({ view: '', id: '' });
    orRefresh(workspace.remove([id]));
  };
  const move = async (): Promise<void> => {
    const { FolderDialog } = await import('./folder-dialog.tsx');
    showDialog(<FolderDialog workspace={workspace} chats={[chat]} />);
  };
  const share = async (): Promise<void> => {
    const { ShareDialog } = await import('./share-dialog.tsx');
    showDialog(<ShareDialog workspace={workspace} id={id} />);
  };
  if (isRenamed)
    return (
      <li>
        <RenameField
          title={title}
          onEnd={(text) => {
            setRenamed(false);
            if (text !== '' && text !== title) orRefresh(workspace.arrange([id], { title: text }));
          }}
        />
      </li>
    );
  return (
    <li>
      <a
        href={toHash({ view: 'chat', id })}
        dir="auto"
        aria-current={isCurrent ? 'page' : undefined}
        onDblClick={() => setRenamed(true)}
        onKeyDown={({ key }) => {
          if (key === 'F2') setRenamed(true);
          if (key === 'Delete') remove();
        }}
      >
        {title}
        {workspace.answering.value.has(id) ? (
          <span class="dot loading" role="img" aria-label={t('Answering')} title={t('Answering')} />
        ) : null}
        {chat.shared_link === undefined ? null : (
          <span class="shared-mark" role="img" aria-label={t('Shared by a link')} title={t('Shared by a link')}>
            <Icon name="link" />
          </span>
        )}
      </a>
      <MenuButton
        label={t('Actions for {title}', { title })}
        items={() => [
          { icon: 'edit', text: t('Rename'), run: () => setRenamed(true) },
          {
            icon: 'pin',
            text: pinned ? t('Unpin') : t('Pin'),
            run: () => orRefresh(workspace.arrange([id], { pinned: !pinned })),
          },
          { icon: 'folder', text: t('Move to folder…'), run: () => void move() },
          ...(workspace.isDurable ? [{ icon: 'link' as const, text: t('Share…'), run: () => void share() }] : []),
          { icon: 'trash', text: t('Delete'), run: remove },
        ]}
      />
    </li>
  );
}

/** `onEnd` gets the new title; empty if the user has given up. */
function RenameField({ title, onEnd }: { readonly title: string; readonly onEnd: (text: string) => void }) {
  return (
    <input
      aria-label={t('Chat title')}
      defaultValue={title}
      maxLength={200}
      dir="auto"
      ref={(field) => field?.select()}
      onBlur={(event) => onEnd(event.currentTarget.value.trim())}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === 'Enter') onEnd(event.currentTarget.value.trim());
        if (event.key === 'Escape') {
          // The page would stop an answer.
          event.preventDefault();
          onEnd('');
        }
      }}
    />
  );
}

/** What was deleted last, until the user closes it. */
function DeletionNotice({ workspace }: { readonly workspace: Workspace }) {
  const [problem, setProblem] = useState('');
  const deletion = workspace.deletion.value;
  if (deletion === undefined) return <div role="status" />;
  const { count, undo } = deletion;
  const close = (): void => {
    workspace.deletion.value = undefined;
  };
  return (
    <div class="deletion" role="status">
      {plural(count, 'Chat deleted.', '{count} chats deleted.')}
      <button
        type="button"
        class="link"
        onClick={() =>
          undo().then(
            () => setProblem(''),
            (error) => setProblem(errorText(error)),
          )
        }
      >
        {t('Undo')}
      </button>
      <IconButton icon="close" label={t('Close this notice')} onClick={close} />
      <Problem text={problem} />
    </div>
  );
}
