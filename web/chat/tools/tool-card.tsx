// A call of a tool that the server runs: its arguments and its result, and the question whether it may run. Both are texts of
// others, and shown as such.

import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TreeMessage } from '../../conversation/chat-document.ts';
import { isUndecided, type KeptCall, permissionKey, type ToolPermission } from '../../conversation/tool-calls.ts';
import type { Label } from '../../language/catalogue.ts';
import { t } from '../../language/language.ts';
import { Icon } from '../../ui/icon.tsx';
import type { ChatSession } from '../session/chat-session.ts';

interface ToolCardProps {
  readonly session: ChatSession;
  readonly message: TreeMessage;
  readonly call: KeptCall;
  /** Whether the answer is arriving. */
  readonly isGrowing: boolean;
  /** Whether nothing follows the message. */
  readonly isLast: boolean;
}

export function ToolCard({ session, message, call, isGrowing, isLast }: ToolCardProps) {
  const { server, tool, arguments: values, result } = call;
  const asks = isUndecided(call) && isLast && !isGrowing;
  const state = asks ? t('Needs your permission') : stateOf(call, isGrowing);
  return (
    <li class={call.is_error ? 'tool-card failed' : 'tool-card'}>
      <details open={asks}>
        <summary>
          <ToolName server={server} tool={tool} state={state} />
        </summary>
        <p class="tool-part">{t('Arguments')}</p>
        <Text value={JSON.stringify(values, null, 2)} label="Arguments" />
        {result === undefined ? null : (
          <>
            <p class="tool-part">{t('Result')}</p>
            <Text value={result} label="Result" />
          </>
        )}
      </details>
      {asks ? <Permission session={session} message={message} call={call} /> : null}
    </li>
  );
}

interface ToolNameProps extends Pick<KeptCall, 'server' | 'tool'> {
  readonly state: string | undefined;
}

export function ToolName({ server, tool, state }: ToolNameProps) {
  return (
    <>
      <Icon name="tool" />
      <strong>{tool}</strong> <span>{server}</span>
      {state === undefined ? null : <span class="tool-state">{state}</span>}
    </>
  );
}

function Text({ value, label }: { readonly value: string; readonly label: Label }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it
    <section tabIndex={0} aria-label={t(label)}>
      <pre dir="auto">{value}</pre>
    </section>
  );
}

function stateOf({ result, is_error: isError, approved, needs_approval: asked }: KeptCall, isGrowing: boolean) {
  if (result !== undefined) return isError ? t('Failed') : undefined;
  if (approved === false || (asked && approved === undefined)) return t('Not allowed');
  return isGrowing ? t('Running…') : t('No result');
}

function Permission({ session, message, call }: Pick<ToolCardProps, 'session' | 'message' | 'call'>) {
  const group = useRef<HTMLFieldSetElement>(null);
  // The user has read the answer until here, and the answer waits for the user.
  useLayoutEffect(() => group.current?.scrollIntoView({ block: 'nearest' }), []);
  const decideOnce = (approved: boolean): void => session.decide(message, ({ id }) => id === call.id, approved);
  const decideAll = (permission: ToolPermission): void => {
    session.permit(call, permission);
    session.decide(message, (other) => permissionKey(other) === permissionKey(call), permission === 'always');
  };
  const { server, tool } = call;
  return (
    <fieldset class="permission" ref={group} aria-label={t('Permission for {tool}', { tool })}>
      <p>{t('The model wants to use {tool} of {server}. Check the arguments.', { tool, server })}</p>
      <button type="button" class="button primary" onClick={() => decideOnce(true)}>
        {t('Allow once')}
      </button>
      <button type="button" class="button" onClick={() => decideAll('always')}>
        {t('Always allow')}
      </button>
      <button type="button" class="button" onClick={() => decideOnce(false)}>
        {t('Do not allow')}
      </button>
      <button type="button" class="button" onClick={() => decideAll('never')}>
        {t('Never allow')}
      </button>
    </fieldset>
  );
}
