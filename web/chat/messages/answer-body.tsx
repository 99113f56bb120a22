// What an answer consists of: texts, and between them the tools that were called.

import type { TreeMessage } from '../../conversation/chat-document.ts';
import { splitAtCalls } from '../../conversation/tool-calls.ts';
import { t } from '../../language/language.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { ToolCard } from '../tools/tool-card.tsx';

interface AnswerBodyProps {
  readonly session: ChatSession;
  readonly message: TreeMessage;
  readonly isGrowing: boolean;
  readonly isLast: boolean;
}

export function AnswerBody({ message, isGrowing, ...rest }: AnswerBodyProps) {
  const parts = splitAtCalls(message);
  return (
    <>
      {parts.map(({ text, calls }, index) => (
        <AnswerPart key={index} text={text} isGrowing={isGrowing && index === parts.length - 1}>
          {calls.map((call) => (
            <ToolCard key={call.id} message={message} call={call} isGrowing={isGrowing} {...rest} />
          ))}
        </AnswerPart>
      ))}
      <ToolCalls calls={message.tool_calls ?? []} />
    </>
  );
}

interface AnswerPartProps {
  readonly text: string;
  readonly isGrowing: boolean;
  readonly children: readonly preact.ComponentChild[];
}

/** A text, and below it the cards of the tools that were called after it. */
export function AnswerPart({ text, isGrowing, children }: AnswerPartProps) {
  return (
    <>
      {text === '' && children.length > 0 ? null : <Markdown text={text} growing={isGrowing} />}
      {children.length === 0 ? null : (
        <ul class="tool-calls" aria-label={t('Tool calls')}>
          {children}
        </ul>
      )}
    </>
  );
}

/** The tools that a model wants to call, and that nobody has offered. */
function ToolCalls({ calls }: { readonly calls: NonNullable<TreeMessage['tool_calls']> }) {
  if (calls.length === 0) return null;
  return (
    <ul class="tool-calls" aria-label={t('Tool calls')}>
      {calls.map(({ id, function: { index, name, arguments: values } }) => (
        <li key={id ?? index}>
          <details>
            <summary>
              <Icon name="tool" />
              {name}
            </summary>
            <pre>{JSON.stringify(values, null, 2)}</pre>
          </details>
        </li>
      ))}
    </ul>
  );
}
