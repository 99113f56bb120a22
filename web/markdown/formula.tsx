// A formula as MathML, which browsers lay out themselves. Temml is loaded with the first one.

import { useLayoutEffect, useRef } from 'preact/hooks';
import type { MathToken } from './math-extension.ts';

/** Preact renders an empty element: what is inside is replaced by the library. `closed`: the end has arrived. */
export function Formula({ text: source, display, closed }: Omit<MathToken, 'type' | 'raw'>) {
  const reference = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = reference.current;
    if (element === null) return;
    let isCurrent = true;
    element.textContent = source;
    const draw = async (): Promise<void> => {
      const { renderFormula } = await import('./render-formula.ts');
      if (isCurrent) renderFormula(source, element, display);
    };
    // Without the library, the source stays.
    if (closed) draw().catch(() => {});
    return () => {
      isCurrent = false;
    };
  }, [source, display, closed]);
  return <span ref={reference} class={display ? 'formula display' : 'formula'} />;
}
