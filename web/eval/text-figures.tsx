// Two models on a text: perplexity, divergence, and how often both have the same likeliest token. The server compares one pair
// of a client at a time.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { CompareResponseBody } from '../../src/server/dialects/hearth/generation/compare-schema.ts';
import { readJsonLines } from '../api/read-json-lines.ts';
import { errorText, request } from '../api/request.ts';
import { t } from '../language/language.ts';
import { shownName } from '../ui/format.ts';
import { Problem } from '../ui/problem.tsx';
import { formatAccuracy, type TextComparison } from './pair-results.ts';

interface TextFiguresProps {
  readonly models: readonly [model: string, against: string];
  /** The figures that the server has kept. */
  readonly known: TextComparison | undefined;
}

export function TextFigures({ models, known }: TextFiguresProps) {
  const [figures, setFigures] = useState(known);
  const [progress, setProgress] = useState<number | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const abort = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const run = async (): Promise<void> => {
    setProblem('');
    setProgress(0);
    abort.current = new AbortController();
    try {
      setFigures(await compare(models, { onProgress: setProgress, signal: abort.current.signal }));
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setProgress(undefined);
    }
  };
  const [model, against] = models;
  return (
    <section aria-label={t('On a text')}>
      <header class="view-header">
        <h2>{t('On a text')}</h2>
        <button type="button" class="button" disabled={progress !== undefined} onClick={() => void run()}>
          {figures === undefined ? t('Compare') : t('Compare again')}
        </button>
      </header>
      {progress === undefined ? null : <progress aria-label={t('Progress of the comparison')} value={progress} />}
      <Problem text={problem} />
      {figures === undefined ? (
        <p class="quiet">{t('Both models read the same text, which takes some minutes.')}</p>
      ) : (
        <dl class="text-figures">
          <Figure
            name={t('Perplexity of {model}', { model: shownName(model) })}
            value={figures.perplexity.toFixed(4)}
          />
          <Figure
            name={t('Perplexity of {model}', { model: shownName(against) })}
            value={figures.against_perplexity.toFixed(4)}
          />
          <Figure
            name={t('KL divergence')}
            value={`${figures.kl_divergence.toFixed(6)} ± ${figures.kl_divergence_error.toFixed(6)}`}
          />
          <Figure
            name={t('Same top token')}
            value={`${formatAccuracy(figures.same_top)} ± ${formatAccuracy(figures.same_top_error)}`}
          />
        </dl>
      )}
    </section>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface CompareWork {
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** The server keeps the result. */
async function compare(
  [model, against]: TextFiguresProps['models'],
  { onProgress, signal }: CompareWork,
): Promise<TextComparison> {
  const response = await request('/api/compare', { method: 'POST', body: { model, against }, signal });
  for await (const part of readJsonLines<CompareResponseBody>(response)) {
    if (part.status !== 'success') {
      onProgress(part.completed / part.total);
      continue;
    }
    const { status: _, chunks: __, ...comparison } = part;
    await request('/api/evals', { method: 'POST', body: { results: [], comparison } });
    return comparison;
  }
  throw new Error(t('The server ended the comparison before it was complete.'));
}
