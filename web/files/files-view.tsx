// The view of collections: the list, and one of them.

import { useEffect, useState } from 'preact/hooks';
import type { CollectionBody } from '../../src/features/documents/documents-schema.ts';
import { useModels } from '../api/models.ts';
import { errorText } from '../api/request.ts';
import { plural, t } from '../language/language.ts';
import { ConfirmDialog, closeDialog, showDialog } from '../ui/dialog.tsx';
import { shownName } from '../ui/format.ts';
import { IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { navigate, toHash } from '../ui/router.ts';
import { createCollection, deleteCollection, listCollections } from './collection-api.ts';
import { CollectionDetails } from './collection-details.tsx';

export function FilesView({ id }: { readonly id: string }) {
  return id === '' ? <CollectionList /> : <CollectionDetails key={id} id={id} />;
}

function CollectionList() {
  const [collections, setCollections] = useState<readonly CollectionBody[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const load = (): Promise<void> =>
    listCollections().then(setCollections, (error: unknown) => setProblem(errorText(error)));
  useEffect(() => void load(), []);
  const remove = ({ id, name }: CollectionBody): void =>
    showDialog(
      <ConfirmDialog
        title={t('Delete this collection?')}
        action={t('Delete')}
        onClose={closeDialog}
        onConfirm={() => {
          closeDialog();
          deleteCollection(id).then(load, (error: unknown) => setProblem(errorText(error)));
        }}
      >
        {t('“{name}” is deleted with the texts of its files.', { name })}
      </ConfirmDialog>,
    );
  return (
    <section class="view" aria-label={t('Files')}>
      <header class="view-header">
        <h1>{t('Files')}</h1>
      </header>
      <p>{t('A collection has documents that a chat can search. Choose collections in the settings of a chat.')}</p>
      <CreateForm onProblem={setProblem} />
      <Problem text={problem} />
      {collections?.length === 0 ? <p class="quiet">{t('There are no collections yet.')}</p> : null}
      <ul class="collections">
        {(collections ?? []).map((collection) => (
          <li key={collection.id}>
            <a href={toHash({ view: 'files', id: collection.id })}>{collection.name}</a>
            <small>{describe(collection)}</small>
            <IconButton
              icon="trash"
              label={t('Delete {name}', { name: collection.name })}
              onClick={() => remove(collection)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function describe({ files, passages, model }: CollectionBody): string {
  const counts = [
    plural(files, '{count} file', '{count} files'),
    plural(passages, '{count} passage', '{count} passages'),
  ];
  return [...counts, ...(model === undefined ? [] : [shownName(model)])].join(' · ');
}

function CreateForm({ onProblem }: { readonly onProblem: (problem: string) => void }) {
  const models = useModels();
  const [name, setName] = useState('');
  const embedding = (models.entries.value ?? []).filter(({ capabilities }) => capabilities.includes('embedding'));
  const [chosen, setModel] = useState<string | undefined>(undefined);
  // A dedicated model is better than one that also chats.
  const model = chosen ?? embedding.find(({ capabilities }) => !capabilities.includes('completion'))?.name ?? '';
  const create = async (): Promise<void> => {
    onProblem('');
    try {
      navigate({ view: 'files', id: (await createCollection(name.trim(), model)).id });
    } catch (error) {
      onProblem(errorText(error));
    }
  };
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <input
        aria-label={t('Name of the new collection')}
        placeholder={t('Name of the new collection')}
        maxLength={200}
        required
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <select aria-label={t('Embedding model')} value={model} onChange={(event) => setModel(event.currentTarget.value)}>
        <option value="">{t('Search by words only')}</option>
        {embedding.map((entry) => (
          <option key={entry.name} value={entry.name}>
            {shownName(entry.name)}
          </option>
        ))}
      </select>
      <button type="submit" class="button primary" disabled={name.trim() === ''}>
        {t('Create')}
      </button>
    </form>
  );
}
