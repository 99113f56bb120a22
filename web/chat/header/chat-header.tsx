// The line above the messages: title, context, model, settings.

import { useState } from 'preact/hooks';
import { useModels } from '../../api/models.ts';
import { usedContext } from '../../conversation/statistics.ts';
import { formatCount } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { ModelPicker } from './model-picker.tsx';
import { SettingsDialog } from './settings-dialog.tsx';

export function ChatHeader({ session }: { readonly session: ChatSession }) {
  const [isOpen, setOpen] = useState(false);
  const { title } = session.document.value;
  return (
    <div class="chat-header">
      <h1 dir="auto">{title === '' ? 'New chat' : title}</h1>
      <ContextGauge session={session} />
      <ModelPicker session={session} />
      <IconButton icon="settings" label="Chat settings" onClick={() => setOpen(true)} />
      {isOpen ? <SettingsDialog session={session} onClose={() => setOpen(false)} /> : null}
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
  const text = `${formatCount(used)} of ${formatCount(length)} tokens of the context are used`;
  return (
    <span class={share > 0.9 ? 'gauge full' : 'gauge'} title={text}>
      <svg viewBox="0 0 18 18" role="img" aria-label={text}>
        <circle cx="9" cy="9" r={radius} />
        <circle class="used" cx="9" cy="9" r={radius} stroke-dasharray={`${share * circumference} ${circumference}`} />
      </svg>
      <span aria-hidden="true">{Math.round(share * 100)} %</span>
    </span>
  );
}
