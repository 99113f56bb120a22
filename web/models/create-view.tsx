// Creates a model from a Modelfile.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { showModel } from '../api/manage-models.ts';
import { chatModels, refreshModels } from '../api/models.ts';
import { streamCreate } from '../api/stream-progress.ts';
import { Icon } from '../ui/icon.tsx';
import { navigate, toHash } from '../ui/router.ts';
import { deriveModelfile, exampleModelfile } from './derive-modelfile.ts';
import { type PlacedError, placeError } from './error-place.ts';
import { ModelfileEditor } from './modelfile-editor.tsx';
import { NameField } from './name-field.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { addProgress, noProgress, shownStatus, type TransferProgress } from './transfer-progress.ts';

/** With a model in the address, the new one begins as a copy of it. */
export function CreateView({ id }: { readonly id: string }) {
  const name = useSignal('');
  const text = useSignal(exampleModelfile(chatModels.peek()[0]?.name ?? 'ember'));
  const progress = useSignal<TransferProgress | undefined>(undefined);
  const error = useSignal<PlacedError | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    if (id !== '')
      showModel(id).then(
        (shown) => {
          text.value = deriveModelfile(id, shown);
        },
        (reason) => {
          error.value = placeError(reason, '');
        },
      );
    return () => running.current?.abort();
  }, [id]);

  const create = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    error.value = undefined;
    progress.value = noProgress;
    const body = { model: name.peek().trim(), modelfile: text.peek() };
    try {
      for await (const part of streamCreate(body, controller.signal))
        progress.value = addProgress(progress.peek() ?? noProgress, part, performance.now());
      await refreshModels();
      navigate({ view: 'models', id: body.model });
    } catch (reason) {
      if (!controller.signal.aborted) error.value = placeError(reason, body.modelfile);
    }
    progress.value = undefined;
  };
  return (
    <section class="view" aria-label="Create a model">
      <a class="back" href={toHash({ view: 'models', id: '' })}>
        <Icon name="left" />
        Models
      </a>
      <h1>Create a model</h1>
      <form
        class="create"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <NameField label="Name" name={name} />
        <ModelfileEditor
          text={text.value}
          error={error.value}
          onText={(next) => {
            text.value = next;
            error.value = undefined;
          }}
        />
        {progress.value === undefined ? (
          <button type="submit" class="button primary">
            Create
          </button>
        ) : (
          <>
            <ProgressBar progress={progress.value} label="Progress" />
            <output class="quiet">{shownStatus(progress.value) || 'starting'}</output>
            <button type="button" class="button" onClick={() => running.current?.abort()}>
              Cancel
            </button>
          </>
        )}
      </form>
    </section>
  );
}
