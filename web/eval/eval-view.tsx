// Results of `hearth eval` that the server keeps: the accuracy of one model, or of two next to each other, and how far they are
// from each other on a text.

import { useEffect, useState } from 'preact/hooks';
import type { EvalsResponseBody } from '../../src/features/eval/evals-schema.ts';
import { errorText, requestJson } from '../api/request.ts';
import { t } from '../language/language.ts';
import { formatAgo, shownName } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { toHash } from '../ui/router.ts';
import { choosePair, differenceOf, type EvalResult, findComparison, formatAccuracy, pairRows } from './pair-results.ts';
import { TextFigures } from './text-figures.tsx';

export function EvalView() {
  const [stored, setStored] = useState<EvalsResponseBody | undefined>(undefined);
  const [chosen, setChosen] = useState<readonly [number, number]>([-1, -1]);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    requestJson<EvalsResponseBody>('/api/evals').then(
      (found) => {
        setStored(found);
        setChosen(choosePair(found.results));
      },
      (error) => setProblem(errorText(error)),
    );
  }, []);
  const results = stored?.results ?? [];
  const [first, second] = chosen.map((index) => results[index]);
  return (
    <section class="view" aria-label={t('Evaluation')}>
      <header class="view-header">
        <h1>{t('Evaluation')}</h1>
        <a class="button" href={toHash({ view: 'models', id: '' })}>
          <Icon name="models" />
          {t('Models')}
        </a>
      </header>
      <Problem text={problem} />
      {stored !== undefined && first === undefined ? <NoResults /> : null}
      {first === undefined ? null : (
        <>
          <div class="filters">
            <ResultChooser
              label={t('Model')}
              results={results}
              chosen={chosen[0]}
              onChoose={(index) => setChosen([index, chosen[1]])}
            />
            <ResultChooser
              label={t('Compared with')}
              results={results}
              chosen={chosen[1]}
              onChoose={(index) => setChosen([chosen[0], index])}
              isOptional
            />
          </div>
          <AccuracyTable first={first} second={second} />
          {second === undefined || second.model === first.model ? null : (
            <TextFigures
              key={`${first.model} ${second.model}`}
              models={[first.model, second.model]}
              known={findComparison(stored?.comparisons ?? [], [first.model, second.model])}
            />
          )}
        </>
      )}
    </section>
  );
}

function NoResults() {
  return (
    <>
      <p>{t('There are no results yet. This command asks a model 300 questions and stores the result here:')}</p>
      <pre>
        <code>hearth eval ember</code>
      </pre>
    </>
  );
}

interface ResultChooserProps {
  readonly label: string;
  readonly results: readonly EvalResult[];
  /** The index of a result. -1: none. */
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly isOptional?: boolean;
}

function ResultChooser({ label, results, chosen, onChoose, isOptional = false }: ResultChooserProps) {
  return (
    <select aria-label={label} value={chosen} onChange={(event) => onChoose(Number(event.currentTarget.value))}>
      {isOptional ? <option value={-1}>{t('Compared with no other')}</option> : null}
      {results.map(({ model, created_at: time, all }, index) => (
        <option key={index} value={index}>
          {shownName(model)} · {all.items} · {formatAgo(time, Date.now())}
        </option>
      ))}
    </select>
  );
}

interface AccuracyTableProps {
  readonly first: EvalResult;
  readonly second: EvalResult | undefined;
}

function AccuracyTable({ first, second }: AccuracyTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it
    <section class="table-frame" aria-label={t('Accuracy')} tabIndex={0}>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{t('Questions')}</th>
            <th scope="col">{shownName(first.model)}</th>
            <th scope="col">{t('95% interval')}</th>
            {second === undefined ? null : (
              <>
                <th scope="col">{shownName(second.model)}</th>
                <th scope="col">{t('95% interval')}</th>
                <th scope="col">{t('Difference')}</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {pairRows(first, second).map((row) => (
            <tr key={row.category}>
              <th scope="row">{row.category}</th>
              <Share judged={row.first} />
              {second === undefined ? null : (
                <>
                  <Share judged={row.second} />
                  <td>{differenceOf(row)}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The accuracy and its interval. */
function Share({ judged }: { readonly judged: EvalResult['all'] | undefined }) {
  if (judged === undefined) return <td colSpan={2} />;
  const [low = 0, high = 1] = judged.interval;
  return (
    <>
      <td>
        {formatAccuracy(judged.accuracy)}{' '}
        <small>
          {judged.correct}/{judged.items}
        </small>
      </td>
      <td class="interval">
        {formatAccuracy(low)} – {formatAccuracy(high)}
        <span class="interval-bar" style={{ '--low': low, '--high': high, '--value': judged.accuracy }} />
      </td>
    </>
  );
}
