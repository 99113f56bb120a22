// The conformance suite of the Model Context Protocol: against Hearth itself, and against the transport of /mcp with the
// tools that the suite expects.

import { execFile } from 'node:child_process';
import { fetchNode } from '../fetch-node.mjs';
import { loadSource } from '../load-source.mjs';
import { run, whenChanged } from '../setup.mjs';
import { inCache } from './tools.mjs';

const suite = '@modelcontextprotocol/conformance@0.1.16';
let node;

export const mcp = {
  name: 'mcp',
  models: {},
  prepare() {
    try {
      // The suite needs a newer Node than this server.
      node = fetchNode(22);
    } catch (error) {
      return String(error.stderr ?? error.message).trim();
    }
    whenChanged(inCache('.mcp-installed'), suite, () => {
      console.error('Installing the conformance suite of MCP …');
      run('npm', ['install', '--prefix', inCache('mcp'), '--no-save', '--ignore-scripts', '--loglevel=error', suite]);
    });
  },
  async run(url) {
    const { startConformanceServer } = await loadSource('../test/support/mcp/conformance-server.ts');
    const transport = await startConformanceServer();
    try {
      return [...(await runSuite('hearth', `${url}/mcp`)), ...(await runSuite('transport', transport.url))];
    } finally {
      await transport.stop();
    }
  },
};

/** Waits without blocking: the server of the second run is in this process. */
async function runSuite(server, url) {
  const program = inCache('mcp/node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [program, 'server', '--url', url, '-o', inCache('mcp-results')];
  const output = await new Promise((resolve, reject) => {
    // The exit code says only whether a test failed.
    execFile(node, args, { maxBuffer: 2 ** 26, timeout: 300_000 }, (error, stdout) =>
      error?.killed ? reject(error) : resolve(stdout),
    );
  });
  return [...output.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gmu)].map(([line, scenario, , failed]) => ({
    name: `${server} ${scenario}`,
    status: failed === '0' ? 'passed' : 'failed',
    reason: line,
  }));
}
