// A view that is loaded when it is first shown.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import type { View } from './views.ts';

const loaded = new Map<string, Awaited<ReturnType<View['load']>>>();

export function LoadedView({ view, id }: { readonly view: View; readonly id: string }) {
  const { name, title } = view;
  const problem = useSignal('');
  const component = useSignal(loaded.get(name));
  useEffect(() => {
    let isCurrent = true;
    document.title = `${title} – Hearth`;
    view.load().then(
      (found) => {
        loaded.set(name, found);
        if (isCurrent) component.value = found;
      },
      (error) => {
        problem.value = messageOf(error);
      },
    );
    return () => {
      isCurrent = false;
      document.title = 'Hearth';
    };
  }, [view]);
  if (component.value !== undefined) {
    const Component = component.value;
    return <Component id={id} />;
  }
  return problem.value === '' ? null : (
    <p class="problem centered" role="alert">
      This view cannot be loaded: {problem}
    </p>
  );
}
