// What users do on the web page.

import type { Locator, Page } from 'playwright-core';

export const messageField = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true });
export const questions = (page: Page): Locator => page.locator('article.user');
export const answers = (page: Page): Locator => page.locator('article.assistant:not(.growing)');

/** The text of the answer that is arriving; empty if there is none. */
export async function growingText(page: Page): Promise<string> {
  return (await page.locator('article.growing .markdown').allInnerTexts()).join('');
}

export async function send(page: Page, text: string): Promise<void> {
  const before = await questions(page).count();
  await messageField(page).fill(text);
  await messageField(page).press('Enter');
  await questions(page).nth(before).waitFor();
}

/** Resolves when the answer is complete. */
export async function ask(page: Page, text: string): Promise<void> {
  await send(page, text);
  await answered(page);
}

export async function answered(page: Page): Promise<void> {
  await page.locator('article.growing').waitFor({ state: 'detached' });
  await answers(page).last().waitFor();
}

export async function chooseModel(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /Choose (another|a) model/ }).click();
  await page.getByRole('searchbox', { name: 'Search models' }).fill(name);
  await page.getByRole('searchbox', { name: 'Search models' }).press('Enter');
}

/** The page gets this answer instead of one of a model, whose words would differ between machines. */
export async function answerWith(page: Page, message: Readonly<Record<string, unknown>>): Promise<void> {
  const part = { model: 'ember:latest', created_at: new Date().toISOString(), done: false };
  const objects = [
    { ...part, message: { role: 'assistant', content: '', ...message } },
    { ...part, message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', eval_count: 1 },
  ];
  const body = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  await page.route('**/api/chat', (route) => route.fulfill({ contentType: 'application/x-ndjson', body }));
}

/** Adds a file to the message as the clipboard or the pointer does. */
export async function giveFile(page: Page, event: 'paste' | 'drop', file: GivenFile): Promise<void> {
  const { name, mimeType, buffer } = file;
  await page.evaluate(`{
    const bytes = Uint8Array.from(atob('${buffer.toString('base64')}'), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], '${name}', { type: '${mimeType}' }));
    const common = { bubbles: true, cancelable: true };
    document.querySelector('.composer textarea').dispatchEvent('${event}' === 'paste'
      ? new ClipboardEvent('paste', { ...common, clipboardData: data })
      : new DragEvent('drop', { ...common, dataTransfer: data }));
  }`);
}

export interface GivenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}
