// How other programs use this server: texts to copy, with its address and a model filled in.

import { useState } from 'preact/hooks';
import { type ModelList, useModels } from '../api/models.ts';
import { isKeyRequired } from '../api/session.ts';
import { elements, t } from '../language/language.ts';
import { CodeBlock } from '../markdown/code-block.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { shownName } from '../ui/format.ts';
import { toHash } from '../ui/router.ts';
import { type ConnectTarget, keyVariable } from './snippet.ts';
import { type SnippetGroup, snippetGroups } from './snippet-groups.ts';

/** Stands for the name of a model where there is none. */
const placeholder = 'MODEL';

export function ConnectView() {
  const models = useModels();
  const [chosen, setModel] = useState(() => models.preferred());
  // The model that was used last may be gone.
  const model = models.find(chosen) === undefined ? '' : chosen;
  const [shown, setShown] = useState(snippetGroups[0]?.title);
  const target = toTarget(models, model);
  const hasModels = (models.entries.value ?? []).length > 0;
  return (
    <section class="view" aria-label={t('Connect')}>
      <h1>{t('Connect')}</h1>
      <div class="connect-target">
        <div class="address">
          <span>{t('Address')}</span>
          <span>
            <code>{target.url}</code>
            <CopyButton text={target.url} label={t('Copy the address')} />
          </span>
        </div>
        <label>
          {t('Model')}
          <select value={model} disabled={!hasModels} onChange={(event) => setModel(event.currentTarget.value)}>
            {(models.entries.value ?? []).map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {hasModels ? null : (
        <p class="warning">
          {t('There are no models on this server yet.')}{' '}
          {elements('{link}, or replace {placeholder} with its name.', {
            link: <a href={toHash({ view: 'models', id: '' })}>{t('Get one')}</a>,
            placeholder: <code>{placeholder}</code>,
          })}
        </p>
      )}
      {target.needsKey ? (
        <p class="quiet">
          {elements('This server requires a key. Put yours in the environment variable {variable}.', {
            variable: <code>{keyVariable}</code>,
          })}
        </p>
      ) : null}
      <fieldset class="choices" aria-label={t('Kind of program')}>
        {snippetGroups.map(({ title }) => (
          <button
            key={title}
            type="button"
            class="button"
            aria-pressed={title === shown}
            onClick={() => setShown(title)}
          >
            {t(title)}
          </button>
        ))}
      </fieldset>
      {snippetGroups
        .filter(({ title }) => title === shown)
        .map((group) => (
          <Group key={group.title} group={group} target={target} />
        ))}
    </section>
  );
}

function Group({ group, target }: { readonly group: SnippetGroup; readonly target: ConnectTarget }) {
  const warning = warningFor(group, target);
  return (
    <>
      {warning === '' ? null : <p class="warning">{warning}</p>}
      {group.snippets.map(({ title, note, install, language, code }) => (
        <section key={title} class="snippet" aria-label={title}>
          <h2>{title}</h2>
          <p class="quiet">{note === undefined ? <code>{install}</code> : t(note)}</p>
          <CodeBlock code={code(target)} language={language} growing={false} />
        </section>
      ))}
    </>
  );
}

/** Empty if the model is suitable for these programs. */
function warningFor({ minContext = 0, needsTools = false }: SnippetGroup, target: ConnectTarget): string {
  const { model, context, hasTools } = target;
  if (needsTools && !hasTools)
    return t('These programs need a model that can use tools, and {model} cannot.', { model });
  if (context === undefined || context >= minContext) return '';
  return t('These programs send long prompts: {wanted} tokens of context are recommended, and {model} has {context}.', {
    wanted: minContext,
    model,
    context,
  });
}

function toTarget(models: ModelList, model: string): ConnectTarget {
  const { contextLength, capabilities = [] } = models.find(model) ?? {};
  return {
    url: window.location.origin,
    model: model === '' ? placeholder : shownName(model),
    context: contextLength,
    hasTools: capabilities.includes('tools'),
    hasVision: capabilities.includes('vision'),
    needsKey: isKeyRequired.value,
  };
}
