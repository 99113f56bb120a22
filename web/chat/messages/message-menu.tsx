// What can be done with a message, besides the buttons below it.

import type { TreeMessage } from '../../conversation/chat-document.ts';
import { withoutMessages } from '../../conversation/message-tree.ts';
import { plural, t } from '../../language/language.ts';
import { ConfirmDialog, closeDialog, showDialog } from '../../ui/dialog.tsx';
import { MenuButton } from '../../ui/menu.tsx';
import { navigate } from '../../ui/router.ts';
import type { ChatSession } from '../session/chat-session.ts';

interface MessageMenuProps {
  readonly session: ChatSession;
  readonly message: TreeMessage;
  /** Absent: the message has a button for it. */
  readonly onEdit?: () => void;
}

export function MessageMenu({ session, message, onEdit }: MessageMenuProps) {
  const copy = async (): Promise<void> => navigate({ view: 'chat', id: await session.copyUpTo(message) });
  return (
    <MenuButton
      label={t('More actions')}
      items={() => {
        const disabled = session.running.peek() !== undefined;
        return [
          ...(onEdit === undefined ? [] : [{ icon: 'edit' as const, text: t('Edit answer'), disabled, run: onEdit }]),
          { icon: 'copy', text: t('Copy chat up to here'), run: () => void copy().catch(() => {}) },
          { icon: 'trash', text: t('Delete'), disabled, run: () => confirmDeletion(session, message) },
        ];
      }}
    />
  );
}

function confirmDeletion(session: ChatSession, message: TreeMessage): void {
  const { messages } = session.document.peek();
  const following = messages.length - withoutMessages({ messages }, new Set([message.id])).messages.length - 1;
  showDialog(
    <ConfirmDialog
      title={t('Delete this message?')}
      action={t('Delete')}
      onClose={closeDialog}
      onConfirm={() => {
        closeDialog();
        session.deleteMessage(message);
      }}
    >
      {following === 0
        ? t('It cannot be restored.')
        : plural(
            following,
            'The message that follows it is deleted, too. They cannot be restored.',
            'The {count} messages that follow it are deleted, too. They cannot be restored.',
          )}
    </ConfirmDialog>,
  );
}
