// How much of the context the conversation uses.

import { findModel } from '../../api/models.ts';
import { formatCount, usedContext } from '../../conversation/statistics.ts';
import type { ChatSession } from '../session/chat-session.ts';

// Of the circle, which has a radius of 7 units.
const circumference = 2 * Math.PI * 7;

export function ContextGauge({ session }: { readonly session: ChatSession }) {
  const { model, options } = session.document.value;
  const stats = session.path.value.findLast((message) => message.stats?.prompt_eval_count !== undefined)?.stats;
  const chosen = options['num_ctx'];
  const length = typeof chosen === 'number' ? chosen : findModel(model)?.contextLength;
  if (stats === undefined || length === undefined) return null;
  const used = usedContext(stats);
  const share = Math.min(used / length, 1);
  const text = `${formatCount(used)} of ${formatCount(length)} tokens of the context are used`;
  return (
    <span class={share > 0.9 ? 'gauge full' : 'gauge'} title={text}>
      <svg viewBox="0 0 18 18" role="img" aria-label={text}>
        <circle cx="9" cy="9" r="7" />
        <circle class="used" cx="9" cy="9" r="7" stroke-dasharray={`${share * circumference} ${circumference}`} />
      </svg>
      <span aria-hidden="true">{Math.round(share * 100)} %</span>
    </span>
  );
}
