// The settings of the export of traces.

import { flag, type SettingKind } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

/** Empty for none. */
const collectorAddress: SettingKind<string> = {
  name: 'address',
  expects: 'an address such as http://collector.example:4318',
  parse: (text) => (text === '' || (/^https?:\/\//.test(text) && URL.canParse(text)) ? text : undefined),
};

const share: SettingKind<number> = {
  name: 'share',
  expects: 'a number from 0 to 1',
  parse: (text) => (/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text) ? Number(text) : undefined),
};

export const telemetrySettings = {
  telemetry: setting(collectorAddress, {
    default: '',
    ollama: false,
    shared: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    help: 'Address of an OpenTelemetry collector that gets traces of requests by OTLP over HTTP (at /v1/traces); empty = nothing is exported.',
  }),
  telemetryShare: setting(share, {
    default: '1',
    ollama: false,
    help: 'Part of the requests without a traceparent whose traces are exported, from 0 to 1. Callers that send a traceparent decide about theirs.',
  }),
  telemetryContent: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Whether exported traces have the texts of prompts and answers.',
  }),
};
