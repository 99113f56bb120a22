// Built-in tools on the server. Without a name in the settings there are none, and nothing is loaded.

import { toServerFeature } from '../../server/server-feature.ts';
import { BuiltinTools, checkNames } from './builtin-tools.ts';

export const builtinToolsServer = toServerFeature({
  open({ settings: { builtinTools, searxng }, requests, childSettings, scriptOf }) {
    const names = checkNames(builtinTools, searxng);
    if (names.length === 0) return {};
    const script = scriptOf('features/builtin-tools/javascript/javascript-program');
    const create = {
      fetch: async () => (await import('./fetch-tool.ts')).createFetchTool(requests),
      search: async () => (await import('./search-tool.ts')).createSearchTool(searxng),
      run_javascript: async () =>
        (await import('./javascript-tool.ts')).createJavascriptTool({ script, childSettings }),
    };
    return { ownTools: new BuiltinTools(() => Promise.all(names.map((name) => create[name]()))) };
  },
});
