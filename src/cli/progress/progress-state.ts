// What is known of a long piece of work: steps in the order in which they came, and a bar for each layer. A function of
// the statuses that a server sends and of the time; nothing here draws.

import type { ProgressResponseBody } from '../../server/dialects/ollama/transfer/progress-schema.ts';
import { safeLine } from '../output/format.ts';
import { beginSpeed, measureSpeed, type TransferSpeed } from './transfer-speed.ts';

/** What a server sends, or what we tell of our own work. */
export interface ProgressStatus extends ProgressResponseBody {
  /** What a bar of bytes is called. Without one it is named after the status and the digest. */
  readonly label?: string;
}

export interface Step {
  readonly kind: 'step';
  readonly label: string;
  readonly ended: boolean;
}

export interface Bar {
  readonly kind: 'bar';
  /** What the server tells its layers apart by. */
  readonly key: string;
  readonly label: string;
  /** For narrow terminals. */
  readonly shortLabel: string;
  /** Bytes of a layer; otherwise it counts something that has no unit. */
  readonly inBytes: boolean;
  readonly total: number;
  readonly completed: number;
  readonly speed: TransferSpeed;
}

export type ProgressItem = Step | Bar;

export interface ProgressState {
  readonly items: readonly ProgressItem[];
  /** When it began, in milliseconds: spinners turn from here. */
  readonly startedAt: number;
}

/** A server that invents layers without end does not fill our memory. */
const maxItems = 1000;

export function beginProgress(now: number): ProgressState {
  return { items: [], startedAt: now };
}

export function applyStatus(state: ProgressState, status: ProgressStatus, now: number): ProgressState {
  return isTransfer(status) ? applyTransfer(state, status, now) : applyStep(state, safeLine(status.status));
}

/** All that still runs has ended, well or not. */
export function endProgress(state: ProgressState): ProgressState {
  return { ...state, items: state.items.map(ended) };
}

type Transfer = ProgressResponseBody & { readonly digest: string; readonly total: number };

function isTransfer({ digest, total }: ProgressResponseBody): boolean {
  return typeof digest === 'string' && typeof total === 'number' && total > 0;
}

function applyStep(state: ProgressState, label: string): ProgressState {
  const last = state.items.at(-1);
  if (last?.kind === 'step' && last.label === label && !last.ended) return state;
  const items = state.items.slice(-maxItems).map(ended);
  return { ...state, items: [...items, { kind: 'step', label: shortened(label), ended: false }] };
}

function applyTransfer(state: ProgressState, status: ProgressStatus, now: number): ProgressState {
  const { digest, total, completed = 0 } = status as Transfer;
  const done = Math.max(0, Math.min(completed, total));
  const index = state.items.findIndex((item) => item.kind === 'bar' && item.key === digest);
  const known = state.items[index];
  if (known?.kind !== 'bar') {
    const bar = { key: digest, ...labelsOf(status), total, completed: done, speed: beginSpeed(done, now) };
    return { ...state, items: [...state.items.slice(-maxItems).map(ended), { kind: 'bar', ...bar }] };
  }
  const bar = { ...known, total, completed: done, speed: measureSpeed(known.speed, done, now) };
  return { ...state, items: state.items.with(index, bar) };
}

function ended(item: ProgressItem): ProgressItem {
  return item.kind === 'step' && !item.ended ? { ...item, ended: true } : item;
}

const longDigest = /sha256[:-]([0-9a-f]{12})[0-9a-f]+/g;

/** Nobody compares 64 digits by eye. */
function shortened(text: string): string {
  return text.replace(longDigest, '$1');
}

function labelsOf({ status, digest = '', label }: ProgressStatus): Pick<Bar, 'label' | 'shortLabel' | 'inBytes'> {
  if (label !== undefined) return { label, shortLabel: label, inBytes: true };
  const line = safeLine(status);
  const short = shortened(safeLine(digest));
  // Without a digest that means anything, such as while quantising, the words are all there is.
  if (!/^[0-9a-f]{12}$/.test(short)) return { label: line, shortLabel: line, inBytes: false };
  if (line.includes(digest)) return { label: shortened(line), shortLabel: short, inBytes: true };
  const words = line === 'starting upload' ? 'uploading' : line;
  return { label: `${words} ${short}`, shortLabel: short, inBytes: true };
}
