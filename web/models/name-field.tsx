// A field for the name of a new model.

import type { Signal } from '@preact/signals';

interface NameFieldProps {
  readonly label: string;
  readonly name: Signal<string>;
}

export function NameField({ label, name }: NameFieldProps) {
  return (
    <label>
      {label}
      <input
        required
        autocomplete="off"
        spellcheck={false}
        value={name}
        onInput={(event) => {
          name.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}
