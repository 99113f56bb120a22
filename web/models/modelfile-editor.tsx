// A field for a Modelfile, with the numbers of its lines. An error is shown at its line.

import { useEffect, useRef } from 'preact/hooks';
import { t } from '../language/language.ts';
import type { PlacedError } from './modelfile.ts';

interface ModelfileEditorProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly error: PlacedError | undefined;
}

export function ModelfileEditor({ text, onText, error }: ModelfileEditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (error?.line !== undefined && field.current !== null) selectLine(field.current, error.line);
  }, [error]);
  const count = text.split('\n').length;
  return (
    <div class="editor-frame">
      <div class="editor" ref={frame}>
        <pre class="editor-numbers" aria-hidden="true">
          {Array.from({ length: count }, (_, index) => index + 1).join('\n')}
        </pre>
        {error?.line === undefined ? null : (
          // The alert after the field says the same to screen readers.
          <div class="editor-mark" style={{ '--row-index': String(error.line - 1) }} aria-hidden="true">
            <p>{error.message}</p>
          </div>
        )}
        <textarea
          ref={field}
          aria-label={t('Modelfile')}
          aria-invalid={error !== undefined}
          aria-describedby="modelfile-problem"
          wrap="off"
          rows={14}
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
          onScroll={(event) => frame.current?.style.setProperty('--scrolled', `${event.currentTarget.scrollTop}px`)}
        />
      </div>
      <p id="modelfile-problem" class="problem" role="alert">
        {error === undefined
          ? ''
          : error.line === undefined
            ? error.message
            : t('Line {line}: {reason}', { line: error.line, reason: error.message })}
      </p>
    </div>
  );
}

function selectLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}
