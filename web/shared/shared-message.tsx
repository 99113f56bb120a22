// A message of a conversation that another user shares, without what only its author can do.

import type { SharedMessageBody } from '../../src/features/chats/sharing-schema.ts';
import { AttachmentList } from '../chat/attachments/attachment-list.tsx';
import { AnswerPart } from '../chat/messages/answer-body.tsx';
import { MessageFrame } from '../chat/messages/message-frame.tsx';
import { attachmentsOf } from '../chat/messages/user-message.tsx';
import { ToolName } from '../chat/tools/tool-card.tsx';
import { splitAtCalls } from '../conversation/tool-calls.ts';
import { t } from '../language/language.ts';
import { CopyButton } from '../ui/copy-button.tsx';

interface SharedMessageProps {
  readonly message: SharedMessageBody;
  readonly author: string;
  readonly isRendered: boolean;
}

export function SharedMessage({ message, author, isRendered }: SharedMessageProps) {
  const { role, content, model = t('Assistant') } = message;
  const isQuestion = role === 'user';
  return (
    <MessageFrame class={role} label={isQuestion ? author : model} text={content} isRendered={isRendered}>
      <AttachmentList attachments={attachmentsOf(message)} />
      {isQuestion ? <Question text={content} /> : <Answer message={message} />}
      <div class="message-actions">
        <CopyButton text={content} label={isQuestion ? t('Copy message') : t('Copy answer')} />
      </div>
    </MessageFrame>
  );
}

function Question({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <p class="text" dir="auto">
      {text}
    </p>
  );
}

function Answer({ message }: Pick<SharedMessageProps, 'message'>) {
  return (
    <>
      {splitAtCalls(message).map(({ text, calls }, index) => (
        <AnswerPart key={index} text={text} isGrowing={false}>
          {calls.map(({ server, tool, is_error: isError = false }, place) => (
            <li key={place} class={isError ? 'tool-card failed' : 'tool-card'}>
              <ToolName server={server} tool={tool} state={isError ? t('Failed') : undefined} />
            </li>
          ))}
        </AnswerPart>
      ))}
    </>
  );
}
