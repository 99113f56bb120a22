// A formula as MathML, which browsers lay out themselves. Temml is loaded with the first one.

import { useLayoutEffect, useRef } from 'preact/hooks';

interface FormulaProps {
  readonly source: string;
  readonly display: boolean;
  /** Whether its end has arrived. */
  readonly closed: boolean;
}

/** Preact renders an empty element: what is inside is replaced by the library. */
export function Formula({ source, display, closed }: FormulaProps) {
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
