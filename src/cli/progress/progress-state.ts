// The state of a long operation: its steps in order, and a bar for each layer. It is computed from the status objects
// of the server and the time. Drawing is separate.

import type { ProgressResponseBody } from '../../server/dialects/ollama/transfer/progress-schema.ts';
import { safeLine } from '../output/format.ts';
import { beginSpeed, measureSpeed, type TransferSpeed } from './transfer-speed.ts';

/** A status object of the server, or of the CLI's own work. */
export interface ProgressStatus extends ProgressResponseBody {
  /** Label of a bar in bytes. Absent: derived from the status and the digest. */
  readonly label?: string;
}

interface ProgressStep {
  readonly kind: 'step';
  readonly label: string;
  readonly ended: boolean;
}

export interface Bar {
  readonly kind: 'bar';
  /** The layer's digest, which identifies the bar. */
  readonly key: string;
  readonly label: string;
  /** For narrow terminals. */
  readonly shortLabel: string;
  /** false: the numbers have no unit. */
  readonly inBytes: boolean;
  readonly total: number;
  readonly completed: number;
  readonly speed: TransferSpeed;
}

export type ProgressItem = ProgressStep | Bar;

export interface ProgressState {
  readonly items: readonly ProgressItem[];
  /** The spinner's phase depends on it. */
  readonly startedAt: number;
}

/** Bounds the memory if a server sends endless layers. */
const maxItems = 1000;

export function beginProgress(now: number): ProgressState {
  return { items: [], startedAt: now };
}

export function applyStatus(state: ProgressState, status: ProgressStatus, now: number): ProgressState {
  return isTransfer(status) ? applyTransfer(state, status, now) : applyStep(state, safeLine(status.status));
}

/** Marks all steps as ended, successful or not. */
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

function shortened(text: string): string {
  return text.replace(longDigest, '$1');
}

function labelsOf({ status, digest = '', label }: ProgressStatus): Pick<Bar, 'label' | 'shortLabel' | 'inBytes'> {
  if (label !== undefined) return { label, shortLabel: label, inBytes: true };
  const line = safeLine(status);
  const short = shortened(safeLine(digest));
  // Quantization sends a placeholder of zeros, and counts tensors. Packages and their files have other names.
  if (!/^[0-9a-f]{12}$/.test(short)) return { label: line, shortLabel: line, inBytes: !/^0*$/.test(short) };
  if (line.includes(digest) || line.includes(short))
    return { label: shortened(line), shortLabel: short, inBytes: true };
  const words = line === 'starting upload' ? 'uploading' : line;
  return { label: `${words} ${short}`, shortLabel: short, inBytes: true };
}
