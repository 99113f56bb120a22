// The models of the server: a list, or one of them in detail.

import { useEffect, useState } from 'preact/hooks';
import { useModels } from '../api/models.ts';
import { mayManage } from '../api/session.ts';
import { t } from '../language/language.ts';
import { Icon } from '../ui/icon.tsx';
import { toHash } from '../ui/router.ts';
import { ModelDetailsView } from './model-details.tsx';
import { ModelTable } from './model-table.tsx';
import { PullSection } from './pull-section.tsx';
import { filterModels, type SortOrder, sortModels, withLastUse } from './sort-models.ts';

export function ModelsView({ id }: { readonly id: string }) {
  return id === '' ? <ModelListView /> : <ModelDetailsView key={id} name={id} />;
}

function ModelListView() {
  const models = useModels();
  const [query, setQuery] = useState('');
  const [capability, setCapability] = useState('');
  const [order, setOrder] = useState<SortOrder>({ key: 'used', descending: true });
  const entries = models.entries.value ?? [];
  useEffect(() => {
    models.refresh().catch(() => {});
  }, []);
  useEffect(() => {
    // Without the times, the column is empty.
    models.refreshLastUse().catch(() => {});
  }, [entries.length]);
  const listed = entries.map((model) => withLastUse(model, models.lastUse.value));
  const capabilities = [...new Set(listed.flatMap((model) => model.capabilities))].toSorted();
  const shown = sortModels(filterModels(listed, { query, capability }), order);
  return (
    <section class="view" aria-label={t('Models')}>
      <header class="view-header">
        <h1>{t('Models')}</h1>
        {mayManage.value ? (
          <>
            <a class="button" href={toHash({ view: 'eval', id: '' })}>
              <Icon name="now" />
              {t('Evaluation')}
            </a>
            <a class="button" href={toHash({ view: 'catalogue', id: '' })}>
              <Icon name="search" />
              {t('Find a model')}
            </a>
            <a class="button" href={toHash({ view: 'create', id: '' })}>
              <Icon name="plus" />
              {t('Create')}
            </a>
          </>
        ) : null}
      </header>
      {mayManage.value ? <PullSection /> : null}
      <div class="filters">
        <input
          type="search"
          aria-label={t('Filter models')}
          placeholder={t('Filter by name or quantization')}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <select
          aria-label={t('Capability')}
          value={capability}
          onChange={(event) => setCapability(event.currentTarget.value)}
        >
          <option value="">{t('Any capability')}</option>
          {capabilities.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {shown.length > 0 ? (
        <ModelTable models={shown} order={order} onOrder={setOrder} />
      ) : (
        <p class="quiet">
          {listed.length === 0 ? t('There are no models yet. Pull one by name.') : t('No model matches.')}
        </p>
      )}
    </section>
  );
}
