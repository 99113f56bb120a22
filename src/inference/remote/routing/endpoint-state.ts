// What a router knows about one endpoint.

import type { Endpoint, Outcome } from '../endpoint.ts';
import {
  afterFailure,
  afterSuccess,
  type Circuit,
  close,
  endProbe,
  isPauseOver,
  type Moment,
  newCircuit,
} from './circuit.ts';
import { busyTime, maxReportAge } from './limits.ts';
import { isFull, type ReportedLoad } from './read-load.ts';

export interface EndpointState {
  readonly endpoint: Endpoint;
  readonly isLocal: boolean;
  circuit: Circuit;
  /** Requests of this server that run there. */
  inFlight: number;
  /** The endpoint had too much work; it is avoided until then. */
  busyUntil: number;
  /** Whether the last check succeeded. Undefined: not checked. */
  isHealthy: boolean | undefined;
  report: { readonly at: number; readonly load: ReportedLoad; readonly others: number } | undefined;
}

/** What a check of an endpoint found. */
export interface CheckResult {
  /** Undefined: the endpoint does not say. */
  readonly isHealthy?: boolean;
  readonly load?: ReportedLoad;
}

export function newEndpointState(endpoint: Endpoint): EndpointState {
  const isLocal = isLoopback(new URL(endpoint.url).hostname);
  return { endpoint, isLocal, circuit: newCircuit, inFlight: 0, busyUntil: 0, isHealthy: undefined, report: undefined };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);
}

/** Requests there: those of this server, and those of others when the endpoint last reported its load. */
export function loadOf({ inFlight, report }: EndpointState, now: number): number {
  return inFlight + (report && isFresh(report, now) ? report.others : 0);
}

export function isFullNow({ busyUntil, report }: EndpointState, now: number): boolean {
  return now < busyUntil || (report !== undefined && isFresh(report, now) && isFull(report.load));
}

/** The next request tries whether the endpoint works again. */
export function needsProbe({ circuit, isHealthy }: EndpointState, now: number): boolean {
  return isHealthy !== false && isPauseOver(circuit, now);
}

/** An endpoint that answers a probe may get other requests before the answer ends. */
export function noteBegin(state: EndpointState, now: number): void {
  if (state.circuit.state !== 'closed') state.circuit = close(state.circuit, now);
}

/** `isProbe`: no circuit was closed, or the request was the one that tried this endpoint. */
export function noteOutcome(state: EndpointState, outcome: Outcome, use: Moment & { readonly isProbe: boolean }): void {
  if (outcome === 'busy') state.busyUntil = use.now + busyTime;
  state.circuit = use.isProbe ? afterProbe(state.circuit, outcome, use) : afterRequest(state.circuit, outcome, use);
}

function afterProbe(circuit: Circuit, outcome: Outcome, moment: Moment): Circuit {
  if (outcome === 'failed') return afterFailure(circuit, moment);
  if (outcome === 'canceled') return circuit.state === 'probing' ? endProbe(circuit, moment.now) : circuit;
  return circuit.state === 'closed' ? circuit : close(circuit, moment.now);
}

function afterRequest(circuit: Circuit, outcome: Outcome, moment: Moment): Circuit {
  // The request started before the circuit opened, and says nothing about the endpoint now.
  if (circuit.state !== 'closed' || outcome === 'canceled') return circuit;
  return outcome === 'failed' ? afterFailure(circuit, moment) : afterSuccess(circuit);
}

/**
 * A failed check counts like a failed request. A successful one proves little, because an engine that hangs can still
 * answer checks. It ends the pause of a circuit only if the check before it failed: the endpoint has come back.
 */
export function noteCheck(state: EndpointState, { isHealthy, load }: CheckResult, moment: Moment): void {
  const { now } = moment;
  // Only the probe decides about a circuit that is not closed.
  if (isHealthy === false && state.circuit.state === 'closed') state.circuit = afterFailure(state.circuit, moment);
  const hasComeBack = isHealthy === true && state.isHealthy === false;
  if (hasComeBack && state.circuit.state === 'open') state.circuit = endProbe(state.circuit, now);
  if (isHealthy !== undefined) state.isHealthy = isHealthy;
  if (load === undefined) return;
  state.report = { at: now, load, others: Math.max(0, load.running + load.waiting - state.inFlight) };
}

function isFresh({ at }: { readonly at: number }, now: number): boolean {
  return now - at <= maxReportAge;
}
