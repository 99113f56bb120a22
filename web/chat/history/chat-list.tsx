// The conversations in the sidebar, by day.

import { useSignal } from '@preact/signals';
import type { ChatSummary } from '../../conversation/chat-document.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { currentLocation, navigate, toHash } from '../../ui/router.ts';
import type { Workspace } from '../session/workspace.ts';
import { groupByDay } from './group-by-day.ts';

export function ChatList({ workspace }: { readonly workspace: Workspace }) {
  const removed = useSignal<ChatSummary | undefined>(undefined);
  const { id: current } = currentLocation.value;
  const close = (): void => {
    removed.value = undefined;
  };
  const remove = (id: string): void => {
    close();
    if (id === current) navigate({ view: '', id: '' });
    // If the server refuses, the list shows what it has.
    workspace.remove(id).catch(() => workspace.refresh().catch(() => {}));
  };
  return (
    <nav class="chat-list" aria-label="Chats">
      {groupByDay(workspace.chats.value, new Date()).map(({ label, chats }) => (
        <section key={label}>
          <h2>{label}</h2>
          <ul>
            {chats.map((chat) => (
              <li key={chat.id}>
                <a href={toHash({ view: 'chat', id: chat.id })} aria-current={chat.id === current ? 'page' : undefined}>
                  {chat.title}
                </a>
                <IconButton
                  icon="trash"
                  label={`Delete ${chat.title}`}
                  onClick={() => {
                    removed.value = chat;
                  }}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {removed.value === undefined ? null : (
        <ConfirmDialog
          title="Delete this chat?"
          action="Delete"
          onClose={close}
          onConfirm={() => remove(removed.value?.id ?? '')}
        >
          “{removed.value.title}” and all its branches will be gone.
        </ConfirmDialog>
      )}
    </nav>
  );
}
