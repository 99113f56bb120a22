// The conversations in the sidebar, by day.

import { useState } from 'preact/hooks';
import type { ListedChat } from '../../conversation/chat-document.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/icon.tsx';
import { currentLocation, navigate, toHash } from '../../ui/router.ts';
import type { Workspace } from '../session/workspace.ts';
import { groupByDay } from './group-by-day.ts';

export function ChatList({ workspace }: { readonly workspace: Workspace }) {
  const [removed, setRemoved] = useState<ListedChat | undefined>(undefined);
  const { id: current } = currentLocation.value;
  const close = (): void => setRemoved(undefined);
  const remove = (id: string): void => {
    close();
    if (id === current) navigate({ view: '', id: '' });
    // If the server refuses, the list shows what it has.
    workspace.remove(id).catch(() => workspace.refresh().catch(() => {}));
  };
  return (
    <>
      <nav class="chat-list" aria-label="Chats">
        {groupByDay(workspace.chats.value, new Date()).map(({ label, chats }) => (
          <section key={label}>
            <h2>{label}</h2>
            <ul>
              {chats.map((chat) => (
                <li key={chat.id}>
                  <a
                    href={toHash({ view: 'chat', id: chat.id })}
                    aria-current={chat.id === current ? 'page' : undefined}
                  >
                    {chat.title}
                    {workspace.answering.value.has(chat.id) ? (
                      <span class="dot loading" role="img" aria-label="Answering" title="Answering" />
                    ) : null}
                  </a>
                  <IconButton icon="trash" label={`Delete ${chat.title}`} onClick={() => setRemoved(chat)} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      {removed === undefined ? null : (
        <ConfirmDialog title="Delete this chat?" action="Delete" onClose={close} onConfirm={() => remove(removed.id)}>
          “{removed.title}” and all its branches will be gone.
        </ConfirmDialog>
      )}
    </>
  );
}
