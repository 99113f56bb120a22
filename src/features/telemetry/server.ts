// Traces of requests for OpenTelemetry, off by default. Without a collector nothing is loaded and nothing is kept.

import type { FinishedRequest } from '../../server/http/request-end.ts';
import { toServerFeature } from '../../server/server-feature.ts';

export const telemetryServer = toServerFeature({
  open({ settings: { telemetry: address, telemetryShare, telemetryContent }, version, clock, logger }) {
    if (address === '') return {};
    const opening = import('./trace-exporter.ts').then(
      ({ TraceExporter }) => new TraceExporter({ address, version, clock, logger }),
    );
    return {
      traceExport: { samples: () => Math.random() < telemetryShare },
      keepsTexts: telemetryContent,
      recordRequest: (request: FinishedRequest) => void opening.then((exporter) => exporter.export(request)),
      start() {
        if (telemetryContent) logger.warn('exported traces have the texts of prompts and answers');
        void opening.then((exporter) => exporter.start());
      },
      close: async () => (await opening).close(),
    };
  },
});
