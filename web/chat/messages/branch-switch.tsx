// Which of several alternatives of a message is shown: "2 / 3" with arrows.

import type { ChatMessage } from '../../conversation/chat-document.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import type { ChatSession } from '../session/chat-session.ts';

interface BranchSwitchProps {
  readonly session: ChatSession;
  readonly message: ChatMessage;
}

export function BranchSwitch({ session, message }: BranchSwitchProps) {
  const all = session.alternatives.value.get(message.parent) ?? [];
  if (all.length < 2) return null;
  const index = all.findIndex(({ id }) => id === message.id);
  const choose = (step: number) => () => {
    const other = all[index + step];
    if (other !== undefined) session.choose(other);
  };
  return (
    <span class="branches">
      <IconButton icon="left" label="Previous version" disabled={index === 0} onClick={choose(-1)} />
      <span>
        {index + 1} / {all.length}
      </span>
      <IconButton icon="right" label="Next version" disabled={index === all.length - 1} onClick={choose(1)} />
    </span>
  );
}
