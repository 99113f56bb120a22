// Creates a model from a Modelfile.

import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useModels } from '../api/models.ts';
import { streamCreate } from '../api/stream-progress.ts';
import { t } from '../language/language.ts';
import { Icon } from '../ui/icon.tsx';
import { navigate, toHash } from '../ui/router.ts';
import { deriveModelfile, exampleModelfile, type PlacedError, placeError } from './modelfile.ts';
import { ModelfileEditor } from './modelfile-editor.tsx';
import { NameField } from './name-dialog.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { addProgress, noProgress, shownStatus, type TransferProgress } from './transfer-progress.ts';

/** With a model in the address, the new one begins as a copy of it. */
export function CreateView({ id }: { readonly id: string }) {
  const models = useModels();
  const name = useSignal('');
  const [text, setText] = useState(() => exampleModelfile(models.forChat.peek()[0]?.name ?? 'ember'));
  const progress = useSignal<TransferProgress | undefined>(undefined);
  const [error, setError] = useState<PlacedError | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    if (id !== '')
      models.show(id).then(
        (shown) => setText(deriveModelfile(id, shown)),
        (reason) => setError(placeError(reason, '')),
      );
    return () => running.current?.abort();
  }, [id]);

  const create = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    progress.value = noProgress;
    const body = { model: name.peek().trim(), modelfile: text };
    try {
      for await (const part of streamCreate(body, controller.signal))
        progress.value = addProgress(progress.peek() ?? noProgress, part, performance.now());
      await models.refresh();
      navigate({ view: 'models', id: body.model });
    } catch (reason) {
      if (!controller.signal.aborted) setError(placeError(reason, body.modelfile));
    }
    progress.value = undefined;
  };
  return (
    <section class="view" aria-label={t('Create a model')}>
      <a class="back" href={toHash({ view: 'models', id: '' })}>
        <Icon name="left" />
        {t('Models')}
      </a>
      <h1>{t('Create a model')}</h1>
      <form
        class="create"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <NameField label={t('Name')} name={name} />
        <ModelfileEditor
          text={text}
          error={error}
          onText={(next) => {
            setText(next);
            setError(undefined);
          }}
        />
        {progress.value === undefined ? (
          <button type="submit" class="button primary">
            {t('Create')}
          </button>
        ) : (
          <>
            <ProgressBar progress={progress.value} label={t('Progress')} />
            <output class="quiet">{shownStatus(progress.value) || t('starting')}</output>
            <button type="button" class="button" onClick={() => running.current?.abort()}>
              {t('Cancel')}
            </button>
          </>
        )}
      </form>
    </section>
  );
}
