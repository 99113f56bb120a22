// One collection: its files, how far they are indexed, and a search.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CollectionFileBody, CollectionResponseBody } from '../../src/features/documents/documents-schema.ts';
import { pollWhileVisible } from '../api/poll.ts';
import { errorText } from '../api/request.ts';
import { plural, t } from '../language/language.ts';
import { Icon, IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { toHash } from '../ui/router.ts';
import { addCollectionFile, deleteCollectionFile, readCollection } from './collection-api.ts';
import { SearchSection } from './search-section.tsx';

interface Upload {
  readonly name: string;
  /** From 0 to 1. At 1, the server reads the file. */
  readonly share: number;
  readonly problem?: string;
}

const pollMs = 2000;

export function CollectionDetails({ id }: { readonly id: string }) {
  const found = useSignal<CollectionResponseBody | undefined>(undefined);
  const problem = useSignal('');
  const load = async (): Promise<void> => {
    try {
      found.value = await readCollection(id);
      problem.value = '';
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  // Vectors are computed in the background.
  useEffect(() => pollWhileVisible(load, pollMs), [id]);
  const { uploads, add } = useUploads(id, load);
  const { collection, files = [] } = found.value ?? {};
  return (
    <section class="view" aria-label={t('Files')}>
      <a class="back" href={toHash({ view: 'files', id: '' })}>
        <Icon name="left" />
        {t('Files')}
      </a>
      <header class="view-header">
        <h1 dir="auto">{collection?.name ?? ''}</h1>
        <AddButton onFiles={add} />
      </header>
      <Problem text={problem.value} />
      {collection === undefined ? null : <Indexing collection={collection} />}
      <UploadList uploads={uploads} />
      <ul class="collections" aria-label={t('Files')}>
        {files.map((file) => (
          <li key={file.id}>
            <span>{file.name}</span>
            <small>{describeFile(file)}</small>
            <IconButton
              icon="trash"
              label={t('Delete {name}', { name: file.name })}
              onClick={() => {
                deleteCollectionFile(id, file.id).then(load, (error: unknown) => {
                  problem.value = errorText(error);
                });
              }}
            />
          </li>
        ))}
      </ul>
      {files.length === 0 ? null : <SearchSection id={id} />}
    </section>
  );
}

function describeFile({ state, problem, type, pages, passages }: CollectionFileBody): string {
  if (state === 'waiting') return t('waits to be read');
  if (problem !== undefined) return problem;
  const counts = [plural(passages, '{count} passage', '{count} passages')];
  return [...(type === 'pdf' ? [plural(pages, '{count} page', '{count} pages')] : []), ...counts].join(' · ');
}

/** How many passages have a vector. */
function Indexing({ collection }: { readonly collection: CollectionResponseBody['collection'] }) {
  const { model, passages, embedded, problem } = collection;
  if (problem !== undefined)
    return <Problem text={t('Passages are found by words only: {reason}', { reason: problem })} />;
  if (model === undefined || passages === 0) return null;
  const text = t('{completed} of {total} passages are indexed', { completed: embedded, total: passages });
  return (
    <div class="progress">
      {embedded < passages ? <progress aria-label={t('Indexing')} value={embedded} max={passages} /> : null}
      <span>{text}</span>
    </div>
  );
}

/** One file after the other, so that the server reads them in their order. */
function useUploads(id: string, onAdded: () => Promise<void>) {
  const uploads = useSignal<readonly Upload[]>([]);
  const queue = useRef(Promise.resolve());
  const change = (index: number, changes: Partial<Upload>): void => {
    uploads.value = uploads.peek().map((upload, at) => (at === index ? { ...upload, ...changes } : upload));
  };
  const add = (files: Iterable<File>): void => {
    for (const file of files) {
      const index = uploads.peek().length;
      uploads.value = [...uploads.peek(), { name: file.name, share: 0 }];
      queue.current = queue.current.then(async () => {
        try {
          await addCollectionFile(id, file, (share) => change(index, { share }));
          change(index, { share: 2 });
        } catch (error) {
          change(index, { problem: errorText(error) });
        }
        await onAdded();
      });
    }
  };
  return { uploads, add };
}

/** Complete files are in the list of the collection. */
function UploadList({ uploads }: { readonly uploads: Signal<readonly Upload[]> }) {
  const shown = uploads.value.filter(({ share, problem }) => share <= 1 || problem !== undefined);
  return (
    <>
      {shown.map(({ name, share, problem }) =>
        problem === undefined ? (
          <div key={name} class="progress">
            <progress aria-label={t('Reading {name} …', { name })} value={share < 1 ? share : undefined} max={1} />
            <span>{name}</span>
          </div>
        ) : (
          <Problem key={name} text={problem} />
        ),
      )}
    </>
  );
}

function AddButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button primary" onClick={() => input.current?.click()}>
        <Icon name="plus" />
        {t('Add files')}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('Files to add')}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // The same file can be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
