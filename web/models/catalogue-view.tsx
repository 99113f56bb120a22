// Models that can be pulled: the list that ships with Hearth and, when the user asks for it, Hugging Face.

import { useEffect, useState } from 'preact/hooks';
import type { CatalogueModelBody, CatalogueResponseBody } from '../../src/features/catalogue/catalogue-schema.ts';
import { useModels } from '../api/models.ts';
import { errorText, requestJson } from '../api/request.ts';
import { plural, t } from '../language/language.ts';
import { formatDate, formatSize } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { toHash } from '../ui/router.ts';
import { CapabilityList } from './model-table.tsx';
import { usePulls } from './pull-section.tsx';
import type { Pulls } from './pulls.ts';
import { startChat } from './start-chat.ts';

const maxQueryCharacters = 100;
const typingPauseMs = 250;

export function CatalogueView() {
  const pulls = usePulls();
  const [query, setQuery] = useState('');
  /** The words that Hugging Face is asked for. */
  const [onlineQuery, setOnlineQuery] = useState('');
  const [found, setFound] = useState<CatalogueResponseBody | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const isOnline = query !== '' && query === onlineQuery;
  useEffect(() => {
    const controller = new AbortController();
    const search = async (): Promise<void> => {
      const words = new URLSearchParams({ q: query, online: String(isOnline) });
      try {
        setFound(await requestJson<CatalogueResponseBody>(`/api/catalogue?${words}`, { signal: controller.signal }));
        setProblem('');
      } catch (error) {
        if (!controller.signal.aborted) setProblem(errorText(error));
      }
    };
    const timer = setTimeout(() => void search(), query === '' || isOnline ? 0 : typingPauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, isOnline]);
  return (
    <section class="view" aria-label={t('Find a model')}>
      <a class="back" href={toHash({ view: 'models', id: '' })}>
        <Icon name="left" />
        {t('Models')}
      </a>
      <h1>{t('Find a model')}</h1>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setOnlineQuery(query);
        }}
      >
        <input
          type="search"
          aria-label={t('Search terms')}
          placeholder={t('A name, an ability or a purpose, such as code or vision')}
          maxLength={maxQueryCharacters}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={query === ''}>
          <Icon name="search" />
          {t('Search Hugging Face')}
        </button>
      </form>
      <Problem text={problem} />
      {found?.online_error === undefined ? null : (
        <Problem text={t('Hugging Face was not searched: {reason}.', { reason: found.online_error })} />
      )}
      <p class="quiet" aria-live="polite">
        {found === undefined ? t('Searching…') : describeCount(found)}
      </p>
      <ul class="catalogue">
        {found?.models.map((model) => (
          <FamilyRow key={model.name} model={model} pulls={pulls} />
        ))}
      </ul>
    </section>
  );
}

function describeCount({ models, date }: CatalogueResponseBody): string {
  if (models.length === 0) return t('No model matches.');
  return plural(models.length, 'One model. List as of {date}.', '{count} models. List as of {date}.', {
    date: formatDate(date),
  });
}

function FamilyRow({ model, pulls }: { readonly model: CatalogueModelBody; readonly pulls: Pulls }) {
  const { title, description, license, context_length: context, capabilities, sizes } = model;
  const facts = [license, context === undefined ? undefined : t('{count}-token context', { count: context })];
  return (
    <li>
      <h2>{title}</h2>
      <p>{description === '' ? null : `${description}.`}</p>
      <p class="quiet">{facts.filter((fact) => fact !== undefined).join(', ')}</p>
      <CapabilityList capabilities={capabilities.filter((capability) => capability !== 'completion')} />
      <ul>
        {sizes.map((size) => (
          <SizeRow key={size.name} size={size} pulls={pulls} />
        ))}
      </ul>
    </li>
  );
}

interface SizeRowProps {
  readonly size: CatalogueModelBody['sizes'][number];
  readonly pulls: Pulls;
}

function SizeRow({ size: { name, size, fit }, pulls }: SizeRowProps) {
  const models = useModels();
  // The model of a package has the name of the package.
  const installed = models.find(name.replace(/^(pypi|npm)\//, ''));
  const pull = pulls.list.value.find((other) => other.model === name);
  const isRunning = pull?.state === 'running';
  const canChat = installed?.capabilities.includes('completion') ?? false;
  return (
    <li class={`fit-${fit?.verdict ?? 'unknown'}`}>
      <strong>{name}</strong>
      <span>{size === undefined ? '' : formatSize(size)}</span>
      <span class="quiet">{fit?.text}</span>
      {installed === undefined ? (
        <button
          type="button"
          class="button"
          disabled={isRunning}
          aria-label={t('Pull {name}', { name })}
          onClick={() => void pulls.start(name, { insecure: false })}
        >
          {isRunning ? t('Pulling') : t('Pull')}
        </button>
      ) : canChat ? (
        <button
          type="button"
          class="button primary"
          aria-label={t('Chat with {name}', { name })}
          onClick={() => startChat(models, installed.name)}
        >
          {t('Chat')}
        </button>
      ) : (
        <span class="quiet">{t('Installed')}</span>
      )}
      <Problem text={pull?.problem ?? ''} />
    </li>
  );
}
