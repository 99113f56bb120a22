// Pulling a model by its name, and the pulls that were started.

import { useSignal } from '@preact/signals';
import { refreshModels } from '../api/models.ts';
import { streamPull } from '../api/stream-progress.ts';
import { formatBytes } from '../ui/format-bytes.ts';
import { Icon } from '../ui/icon.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { createPulls, type Pull } from './pulls.ts';
import { rateOf, shownStatus } from './transfer-progress.ts';

const memoryEntry = 'hearth.pulls';

const pulls = createPulls({
  streamPull,
  monotonic: () => performance.now(),
  memory: {
    read: () => localStorage.getItem(memoryEntry),
    write: (text) => localStorage.setItem(memoryEntry, text),
  },
  onDone: () => void refreshModels().catch(() => {}),
});

// Characters.
const maxName = 500;

export function PullSection() {
  const name = useSignal('');
  const insecure = useSignal(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    pulls.start(name.peek().trim(), { insecure: insecure.peek() });
    name.value = '';
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
          maxLength={maxName}
          value={name}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="button primary">
          <Icon name="download" />
          Pull
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={insecure}
            onChange={(event) => {
              insecure.value = event.currentTarget.checked;
            }}
          />
          The registry has no TLS
        </label>
      </form>
      <ul>
        {pulls.list.value.map((pull) => (
          <PullRow key={pull.model} pull={pull} />
        ))}
      </ul>
    </section>
  );
}

function PullRow({ pull }: { readonly pull: Pull }) {
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
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </li>
  );
}

function describe({ state, progress }: Pull): string {
  if (state === 'done') return 'Ready to use.';
  if (state === 'paused') return 'Paused. The server keeps what it has for a week.';
  const rate = rateOf(progress);
  const status = shownStatus(progress) || 'starting';
  return rate === undefined ? status : `${status}, ${formatBytes(rate)}/s`;
}
