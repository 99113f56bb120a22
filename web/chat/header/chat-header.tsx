// The line above the messages: title, context, model, settings, and whether the chat is stored.

import { useModels } from '../../api/models.ts';
import { usedContext } from '../../conversation/statistics.ts';
import { t } from '../../language/language.ts';
import { showDialog } from '../../ui/dialog.tsx';
import { formatShare } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon.tsx';
import { navigate, temporaryView } from '../../ui/router.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { ModelPicker } from './model-picker.tsx';

export function ChatHeader({ session }: { readonly session: ChatSession }) {
  const { title, messages } = session.document.value;
  const { isTemporary } = session;
  const showSettings = async (): Promise<void> => {
    const { SettingsDialog } = await import('./settings-dialog.tsx');
    showDialog(<SettingsDialog session={session} />);
  };
  return (
    <div class="chat-header">
      <h1 dir="auto">{title === '' ? (isTemporary ? t('Temporary chat') : t('New chat')) : title}</h1>
      {isTemporary && title !== '' ? (
        <span class="temporary-badge" title={t('This chat is not stored. It is gone when you leave it.')}>
          {t('Temporary')}
        </span>
      ) : null}
      {messages.length === 0 ? (
        <IconButton
          icon="hidden"
          label={isTemporary ? t('Turn off temporary chat') : t('Temporary chat')}
          class={isTemporary ? 'pressed' : ''}
          onClick={() => navigate({ view: isTemporary ? '' : temporaryView, id: '' })}
        />
      ) : null}
      <ContextGauge session={session} />
      <ModelPicker session={session} />
      <IconButton icon="settings" label={t('Chat settings')} onClick={() => void showSettings()} />
    </div>
  );
}

const radius = 7;
const circumference = 2 * Math.PI * radius;

/** How much of the context the conversation uses. */
function ContextGauge({ session }: { readonly session: ChatSession }) {
  const models = useModels();
  const { model, options } = session.document.value;
  const stats = session.path.value.findLast((message) => message.stats?.prompt_eval_count !== undefined)?.stats;
  const chosen = options['num_ctx'];
  const length = typeof chosen === 'number' ? chosen : models.find(model)?.contextLength;
  if (stats === undefined || length === undefined) return null;
  const used = usedContext(stats);
  const share = Math.min(used / length, 1);
  const text = t('{used} of {total} context tokens used', { used, total: length });
  return (
    <span class={share > 0.9 ? 'gauge full' : 'gauge'} title={text}>
      <svg viewBox="0 0 18 18" role="img" aria-label={text}>
        <circle cx="9" cy="9" r={radius} />
        <circle class="used" cx="9" cy="9" r={radius} stroke-dasharray={`${share * circumference} ${circumference}`} />
      </svg>
      <span aria-hidden="true">{formatShare(share)}</span>
    </span>
  );
}
