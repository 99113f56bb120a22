// The statistics below an answer.

import type { AnswerStats } from '../../conversation/chat-document.ts';
import { describeStats } from '../../conversation/statistics.ts';

interface StatsLineProps {
  readonly stats: AnswerStats;
  readonly model: string | undefined;
}

export function StatsLine({ stats, model }: StatsLineProps) {
  return (
    <span class="stats">
      {model === undefined ? null : <span title="The model that answered">{model.replace(/:latest$/, '')}</span>}
      {describeStats(stats).map(({ text, explanation }) => (
        <span key={text} title={explanation}>
          {text}
        </span>
      ))}
    </span>
  );
}
