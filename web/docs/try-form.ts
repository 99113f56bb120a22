// The form of an operation: its parameters, its body, and the response of the server.

import { copyText } from '../ui/copy-text.ts';
import { type SendableOperation, toAddress, toCurl } from './operation.ts';
import { showResponse } from './show-response.ts';

export function createTryForm(operation: SendableOperation): HTMLFormElement {
  const { method, parameters, body } = operation;
  const fields = parameters.map(({ name, description = '', example = '' }) =>
    labeled(name, Object.assign(document.createElement('input'), { value: example, title: description })),
  );
  const area = body === undefined ? undefined : Object.assign(document.createElement('textarea'), { value: body });
  if (area !== undefined) {
    area.rows = Math.min(area.value.split('\n').length, 16);
    area.spellcheck = false;
  }
  const form = document.createElement('form');
  const output = document.createElement('div');
  const send = buttonOf('Send', 'submit');
  const stop = buttonOf('Stop', 'button');
  const copy = buttonOf('Copy as curl', 'button');
  const actions = Object.assign(document.createElement('p'), { className: 'actions' });
  actions.append(send, copy);
  form.className = 'try';
  form.append(
    ...fields.map(({ label }) => label),
    ...(area === undefined ? [] : [labeled('Body', area).label]),
    actions,
    output,
  );

  const readRequest = () => {
    const values = Object.fromEntries(fields.map(({ name, field }) => [name, field.value]));
    const url = window.location.origin + toAddress(operation, values);
    return { method, url, body: area?.value };
  };
  copy.addEventListener('click', () => void copyText(toCurl(readRequest())).catch(() => {}));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (method === 'DELETE' && !window.confirm(`Send DELETE ${operation.path}?`)) return;
    const controller = new AbortController();
    stop.onclick = () => controller.abort();
    send.replaceWith(stop);
    void showResponse(readRequest(), output, controller.signal).finally(() => stop.replaceWith(send));
  });
  return form;
}

function labeled<Field extends HTMLElement>(name: string, field: Field) {
  const label = document.createElement('label');
  label.append(name, field);
  return { name, label, field };
}

function buttonOf(text: string, type: 'submit' | 'button'): HTMLButtonElement {
  const className = type === 'submit' ? 'button primary' : 'button';
  return Object.assign(document.createElement('button'), { textContent: text, type, className });
}
