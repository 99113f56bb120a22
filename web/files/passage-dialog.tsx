// A passage in the text around it: its page of a PDF, which is also shown as it looks, or what precedes and follows it in
// another document.

import { useEffect, useState } from 'preact/hooks';
import type { CollectionPassagesResponseBody } from '../../src/features/documents/documents-schema.ts';
import type { PassageBody } from '../../src/server/dialects/shared/passage-body-schema.ts';
import { errorText, requestJson } from '../api/request.ts';
import { t } from '../language/language.ts';
import { closeDialog, Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { PdfPageView } from './pdf/pdf-page-view.tsx';

export type ShownPassage = Pick<
  PassageBody,
  'text' | 'collection' | 'file_id' | 'file_name' | 'page' | 'start' | 'end'
>;

/** About two passages. */
const charactersBefore = 2400;

export function PassageDialog({ passage }: { readonly passage: ShownPassage }) {
  const [around, setAround] = useState<CollectionPassagesResponseBody | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    requestJson<CollectionPassagesResponseBody>(`${pathOf(passage)}/passages?${placeOf(passage)}`).then(
      setAround,
      (error) => setProblem(errorText(error)),
    );
  }, [passage]);
  // Without the document, the passage is still there.
  const shown = around?.passages.some(({ start }) => start === passage.start) ? around.passages : [passage];
  const { page } = passage;
  const isDrawn = page !== undefined && around?.file.original === true && problem === '';
  const isText = !isDrawn && (around !== undefined || problem !== '');
  return (
    <Dialog title={nameOf(passage)} onClose={closeDialog} class="passage-dialog">
      <Problem text={problem} />
      {isDrawn ? (
        <PdfPageView
          page={page}
          passage={passage.text}
          path={`${pathOf(passage)}/content`}
          label={nameOf(passage)}
          onProblem={(error) => setProblem(errorText(error))}
        />
      ) : null}
      <div class="document-text" dir="auto">
        {shown.map(({ start, text }) =>
          start === passage.start ? (
            <p key={start}>
              <mark ref={(element) => (isText ? element?.scrollIntoView?.({ block: 'nearest' }) : undefined)}>
                {text}
              </mark>
            </p>
          ) : (
            <p key={start}>{text}</p>
          ),
        )}
      </div>
    </Dialog>
  );
}

function pathOf({ collection, file_id: file }: ShownPassage): string {
  const [id, fileId] = [collection, file].map(encodeURIComponent);
  return `/api/collections/${id}/files/${fileId}`;
}

function placeOf({ page, start }: ShownPassage): string {
  return page === undefined ? `from=${Math.max(0, start - charactersBefore)}` : `page=${page}`;
}

/** The file, with the page of a PDF. */
export function nameOf({ file_name: name, page }: Pick<ShownPassage, 'file_name' | 'page'>): string {
  return page === undefined ? name : t('{name}, page {page}', { name, page });
}
