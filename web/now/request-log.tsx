// The last requests with their prompts and answers, if the operator has switched the log on.

import { t } from '../language/language.ts';
import { formatTime, formatTimeOfDay } from '../ui/format.ts';
import type { RequestRecord } from './now-data.ts';

export function RequestLogView({ requests }: { readonly requests: readonly RequestRecord[] }) {
  return (
    <section aria-labelledby="log-title">
      <h2 id="log-title">{t('Request log')}</h2>
      <p class="quiet">{t('The server keeps the prompts and answers of recent requests (HEARTH_REQUEST_LOG).')}</p>
      <div class="log">
        {requests.map((request) => (
          <LogEntry key={request.id} request={request} />
        ))}
      </div>
    </section>
  );
}

function LogEntry({ request }: { readonly request: RequestRecord }) {
  const { time, key, endpoint, model, outcome, duration_ms: duration, exchanges } = request;
  const tokens = t('{prompt} + {answer} tokens', {
    prompt: request.prompt_tokens,
    answer: request.generated_tokens,
  });
  const facts = [key ?? '', model, endpoint, tokens, formatTime(duration)].filter((fact) => fact !== '');
  return (
    <details>
      <summary>
        <time dateTime={time}>{formatTimeOfDay(time)}</time>
        <span class={outcome === 'ok' ? 'badge' : 'badge failed'}>{outcome}</span>
        <span class="quiet">{facts.join(' · ')}</span>
      </summary>
      {exchanges.map(({ prompt, answer }, index) => (
        <div key={index} class="exchange">
          <h3>{t('Prompt')}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
          <pre tabIndex={0}>{prompt}</pre>
          <h3>{t('Answer')}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
          <pre tabIndex={0}>{answer}</pre>
        </div>
      ))}
    </details>
  );
}
