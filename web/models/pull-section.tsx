// Pulling a model by its name, and the pulls of the server.

import { useEffect, useState } from 'preact/hooks';
import { type ModelList, useModels } from '../api/models.ts';
import { pollWhileVisible } from '../api/poll.ts';
import { request, requestJson } from '../api/request.ts';
import { t } from '../language/language.ts';
import { formatSize } from '../ui/format.ts';
import { Icon, IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { type Pull, type PullRequests, Pulls } from './pulls.ts';
import { rateOf, shownStatus } from './transfer-progress.ts';

const maxNameCharacters = 500;
const pollIntervalMs = 1000;

const pullRequests: PullRequests = {
  list: () => requestJson('/api/pulls'),
  start: (model, insecure) => request('/api/pulls', { method: 'POST', body: { model, insecure } }),
  pause: (id) => request(`/api/pulls/${id}/pause`, { method: 'POST' }),
  remove: (id) => request(`/api/pulls/${id}`, { method: 'DELETE' }),
};

const knownPulls = new WeakMap<ModelList, Pulls>();

export function usePulls(): Pulls {
  const models = useModels();
  const known = knownPulls.get(models);
  const onDone = (): void => void models.refresh().catch(() => {});
  const pulls = known ?? new Pulls({ requests: pullRequests, monotonicMs: () => performance.now(), onDone });
  knownPulls.set(models, pulls);
  useEffect(() => {
    let isShown = true;
    const stop = pollWhileVisible(async () => {
      await pulls.refresh();
      // Other views offer the models that running pulls bring.
      if (!isShown && !pulls.isRunning) stop();
    }, pollIntervalMs);
    return () => {
      isShown = false;
      if (!pulls.isRunning) stop();
    };
  }, [pulls]);
  return pulls;
}

export function PullSection() {
  const pulls = usePulls();
  const [name, setName] = useState('');
  const [insecure, setInsecure] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    void pulls.start(name.trim(), { insecure });
    setName('');
  };
  const problem = pulls.problem.value;
  return (
    <section class="pull" aria-label={t('Pull a model')}>
      <form onSubmit={submit}>
        <input
          aria-label={t('Name of a model to pull')}
          placeholder={t('Pull a model, such as qwen3:8b or pypi/NAME')}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          required
          maxLength={maxNameCharacters}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="button primary">
          <Icon name="download" />
          {t('Pull')}
        </button>
        <label class="check">
          <input type="checkbox" checked={insecure} onChange={(event) => setInsecure(event.currentTarget.checked)} />
          {t('The registry does not use TLS')}
        </label>
      </form>
      {problem === '' ? null : <Problem text={problem} />}
      <ul>
        {pulls.list.value.map((pull) => (
          <PullRow key={pull.id} pulls={pulls} pull={pull} />
        ))}
      </ul>
    </section>
  );
}

function PullRow({ pulls, pull }: { readonly pulls: Pulls; readonly pull: Pull }) {
  const { id, model, insecure, state, problem } = pull;
  return (
    <li class={`pull-row ${state}`}>
      <strong>{model}</strong>
      <span class="pull-actions">
        {state === 'running' ? (
          <IconButton icon="pause" label={t('Pause {model}', { model })} onClick={() => void pulls.pause(id)} />
        ) : state === 'done' ? null : (
          <IconButton
            icon="play"
            label={t('Resume {model}', { model })}
            onClick={() => void pulls.start(model, { insecure })}
          />
        )}
        <IconButton
          icon="close"
          label={
            state === 'done' || state === 'failed' ? t('Dismiss {model}', { model }) : t('Cancel {model}', { model })
          }
          onClick={() => void pulls.remove(id)}
        />
      </span>
      <ProgressBar progress={pull.progress} label={t('Progress of {model}', { model })} isDone={state === 'done'} />
      {problem === '' ? (
        // The rate changes all the time: screen readers announce only that the pull has ended or is paused.
        <output class="quiet" aria-live={state === 'running' ? 'off' : 'polite'}>
          {describe(pull)}
        </output>
      ) : (
        <Problem text={problem} />
      )}
    </li>
  );
}

function describe({ state, progress }: Pull): string {
  if (state === 'done') return t('Ready to use.');
  if (state === 'paused') return t('Paused. The server keeps the downloaded part for a week.');
  const rate = rateOf(progress);
  const status = shownStatus(progress) || t('starting');
  return rate === undefined ? status : `${status}, ${formatSize(rate)}/s`;
}
