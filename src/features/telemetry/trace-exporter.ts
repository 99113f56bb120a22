// Sends spans to a collector by OTLP, with the packages of OpenTelemetry. They are loaded when the server starts. Spans
// wait in a bounded queue: a collector that hangs costs memory for 2,048 spans and delays no request.

import type { Resource } from '@opentelemetry/resources';
import type { BatchSpanProcessor, ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { withoutTrailing } from '../../base/text/without-trailing.ts';
import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';
import { pause } from '../../base/time/pause.ts';
import type { FinishedRequest } from '../../server/http/request-end.ts';
import { describeSpans } from './describe-spans.ts';
import { toReadableSpan } from './to-readable-span.ts';

interface TraceExporterOptions {
  /** The address of the collector, without the path. */
  readonly address: string;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const limits = {
  maxQueueSize: 2048,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 2_000,
  exportTimeoutMillis: 10_000,
} as const;
/** For the last spans when the server stops. */
const flushTimeMs = 3_000;
/** A collector that is down is named once in this time. */
const complaintPauseMs = 60_000;

interface LoadedPackages {
  readonly processor: BatchSpanProcessor;
  readonly resource: Resource;
}

export class TraceExporter {
  readonly #options: TraceExporterOptions;
  /** Undefined in it: the packages are not installed. */
  #loaded: Promise<LoadedPackages | undefined> | undefined;
  #complainedAt = Number.NEGATIVE_INFINITY;

  constructor(options: TraceExporterOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loaded ??= this.#load();
  }

  export(request: FinishedRequest): void {
    const spans = describeSpans(request);
    const { traceId = '' } = request.trace ?? {};
    if (spans.length === 0) return;
    const { clock, version } = this.#options;
    const clockStartMs = clock.now() - clock.monotonic() / nanosecondsPerMillisecond;
    this.start();
    void this.#loaded?.then((loaded) => {
      if (loaded === undefined) return;
      const { processor, resource } = loaded;
      for (const span of spans) processor.onEnd(toReadableSpan(span, { traceId, clockStartMs, resource, version }));
    });
  }

  /** Sends what is left, for a limited time. */
  async close(): Promise<void> {
    const flushed = this.#loaded?.then((loaded) => loaded?.processor.shutdown()).catch(() => {});
    if (flushed !== undefined) await Promise.race([flushed, pause(this.#options.clock, flushTimeMs)]);
  }

  async #load(): Promise<LoadedPackages | undefined> {
    const { address, version, logger } = this.#options;
    try {
      const [{ BatchSpanProcessor }, { OTLPTraceExporter }, { detectResources, envDetector, resourceFromAttributes }] =
        await Promise.all([
          import('@opentelemetry/sdk-trace'),
          import('@opentelemetry/exporter-trace-otlp-http'),
          import('@opentelemetry/resources'),
        ]);
      const url = `${withoutTrailing(address, /\//)}/v1/traces`;
      const exporter = new OTLPTraceExporter({ url, timeoutMillis: limits.exportTimeoutMillis });
      const own = resourceFromAttributes({ 'service.name': 'hearth', 'service.version': version });
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
      const resource = own.merge(detectResources({ detectors: [envDetector] }));
      logger.info('traces are exported', { to: new URL(url).origin });
      return { processor: new BatchSpanProcessor({ exporter: this.#withComplaints(exporter), ...limits }), resource };
    } catch (error) {
      logger.error('traces cannot be exported: the packages of OpenTelemetry are missing; npm installs them', {
        reason: messageOf(error),
      });
      return undefined;
    }
  }

  #withComplaints(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans: ReadableSpan[], done) =>
        exporter.export(spans, (result) => {
          if (result.error !== undefined) this.#complain(result.error, spans.length);
          done({ code: 0 });
        }),
      shutdown: () => exporter.shutdown(),
    };
  }

  #complain(error: Error, spans: number): void {
    const { clock, logger } = this.#options;
    const now = clock.monotonic() / nanosecondsPerMillisecond;
    if (now - this.#complainedAt < complaintPauseMs) return;
    this.#complainedAt = now;
    logger.warn('the collector of traces did not take spans, which are lost', { spans, reason: messageOf(error) });
  }
}
