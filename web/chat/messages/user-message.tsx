// A message of the user. Editing it asks again, in a branch of its own.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TreeMessage } from '../../conversation/chat-document.ts';
import { t } from '../../language/language.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon.tsx';
import type { Attachment } from '../attachments/attachment.ts';
import { AttachmentList } from '../attachments/attachment-list.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { EditForm } from './edit-form.tsx';
import { BranchSwitch, MessageFrame } from './message-frame.tsx';
import { MessageMenu } from './message-menu.tsx';

interface UserMessageProps {
  readonly session: ChatSession;
  readonly message: TreeMessage;
  readonly isRendered: boolean;
}

export function UserMessage({ session, message, isRendered }: UserMessageProps) {
  const label = t('You');
  // The same element as before is not rendered again.
  return useMemo(
    () => (
      <MessageFrame class="user" label={label} text={message.content} isRendered={isRendered}>
        <UserContent session={session} message={message} />
      </MessageFrame>
    ),
    [session, message, isRendered, label],
  );
}

function UserContent({ session, message }: Omit<UserMessageProps, 'isRendered'>) {
  const [isEdited, setEdited] = useState(false);
  // Another branch has another message in this place.
  useEffect(() => setEdited(false), [message.id]);
  const isBusy = session.running.value !== undefined;
  const ask = (text: string): void => {
    setEdited(false);
    session.edit(message, text);
  };
  return (
    <>
      <AttachmentList attachments={attachmentsOf(message)} />
      {isEdited ? (
        <EditForm text={message.content} action={t('Ask again')} onCancel={() => setEdited(false)} onSubmit={ask} />
      ) : (
        message.content !== '' && (
          <p class="text" dir="auto">
            {message.content}
          </p>
        )
      )}
      <div class="message-actions">
        <BranchSwitch session={session} message={message} />
        <CopyButton text={message.content} label={t('Copy message')} />
        <IconButton icon="edit" label={t('Edit message')} disabled={isBusy} onClick={() => setEdited(true)} />
        <MessageMenu session={session} message={message} />
      </div>
    </>
  );
}

export function attachmentsOf({ images = [], files = [] }: Pick<TreeMessage, 'images' | 'files'>): Attachment[] {
  return [
    ...images.map((base64, index) => ({
      kind: 'image' as const,
      name: t('Image {number}', { number: index + 1 }),
      base64,
    })),
    ...files.map((file) => ({ kind: 'text' as const, ...file })),
  ];
}
