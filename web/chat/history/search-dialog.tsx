// Finds conversations by their titles and texts.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChatSummary } from '../../conversation/chat-document.ts';
import { Chooser } from '../../ui/chooser.tsx';
import { navigate } from '../../ui/router.ts';
import type { Workspace } from '../session/workspace.ts';

// Milliseconds without a key before the server is asked.
const typingPause = 150;
const maxResults = 50;

interface SearchDialogProps {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

export function SearchDialog({ workspace, onClose }: SearchDialogProps) {
  const query = useSignal('');
  const found = useSignal<readonly ChatSummary[]>(workspace.chats.peek());
  useEffect(() => {
    let isCurrent = true;
    const search = (): void => {
      workspace.search(query.peek()).then(
        (chats) => {
          if (isCurrent) found.value = chats;
        },
        () => {},
      );
    };
    const timer = setTimeout(search, typingPause);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [query.value]);
  return (
    <Chooser
      title="Search chats"
      placeholder="Search titles and messages"
      query={query.value}
      choices={found.value.slice(0, maxResults).map(({ id, title, model, updated_at: changed }) => ({
        id,
        content: (
          <>
            <span class="choice-title">{title}</span>
            <small>
              {model} · {new Date(changed).toLocaleDateString()}
            </small>
          </>
        ),
      }))}
      empty="No chat contains this."
      onQuery={(text) => {
        query.value = text;
      }}
      onChoose={(id) => {
        navigate({ view: 'chat', id });
        onClose();
      }}
      onClose={onClose}
    />
  );
}
