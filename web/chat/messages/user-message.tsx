// A message of the user. Editing it asks again, in a branch of its own.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChatMessage } from '../../conversation/chat-document.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { memoized } from '../../ui/memoized.ts';
import { useReturnFocus } from '../../ui/use-return-focus.ts';
import type { Attachment } from '../attachments/attachment.ts';
import { AttachmentList } from '../attachments/attachment-list.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { BranchSwitch } from './branch-switch.tsx';
import { MessageFrame } from './message-frame.tsx';

interface UserMessageProps {
  readonly session: ChatSession;
  readonly message: ChatMessage;
  readonly isRendered: boolean;
}

export const UserMessage = memoized(({ session, message, isRendered }: UserMessageProps) => (
  <MessageFrame class="user" label="You" text={message.content} isRendered={isRendered}>
    <UserContent session={session} message={message} />
  </MessageFrame>
));

function UserContent({ session, message }: Omit<UserMessageProps, 'isRendered'>) {
  const isEdited = useSignal(false);
  // Another branch has another message in this place.
  useEffect(() => {
    isEdited.value = false;
  }, [message.id]);
  const isBusy = session.running.value !== undefined;
  const edit = (isOpen: boolean) => () => {
    isEdited.value = isOpen;
  };
  const ask = (text: string): void => {
    isEdited.value = false;
    session.edit(message, text);
  };
  return (
    <>
      <AttachmentList attachments={attachmentsOf(message)} />
      {isEdited.value ? (
        <EditForm text={message.content} onCancel={edit(false)} onSubmit={ask} />
      ) : (
        message.content !== '' && <p class="text">{message.content}</p>
      )}
      <div class="message-actions">
        <BranchSwitch session={session} message={message} />
        <CopyButton text={message.content} label="Copy message" />
        <IconButton icon="edit" label="Edit message" disabled={isBusy} onClick={edit(true)} />
      </div>
    </>
  );
}

function attachmentsOf({ images = [], files = [] }: ChatMessage): Attachment[] {
  return [
    ...images.map((base64, index) => ({ kind: 'image' as const, name: `Image ${index + 1}`, base64 })),
    ...files.map((file) => ({ kind: 'text' as const, ...file })),
  ];
}

interface EditFormProps {
  readonly text: string;
  readonly onSubmit: (text: string) => void;
  readonly onCancel: () => void;
}

function EditForm({ text, onSubmit, onCancel }: EditFormProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useReturnFocus();
  useEffect(() => field.current?.focus(), []);
  const submit = (): void => onSubmit(field.current?.value.trim() ?? '');
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        aria-label="Edited message"
        defaultValue={text}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault();
            onCancel();
          }
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            submit();
          }
        }}
      />
      <footer>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="button primary">
          Ask again
        </button>
      </footer>
    </form>
  );
}
