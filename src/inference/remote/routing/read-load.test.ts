import { expect, test } from 'vitest';
import { isFull, readLoad } from './read-load.ts';

test('the load of vLLM is the sum over its engines, and its cache usage the largest', () => {
  const text = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_running{engine="1",model_name="m"} 2.0
vllm:num_requests_waiting{engine="0",model_name="m"} 1.0
vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 1.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.5
`;
  expect(readLoad('vllm', text)).toEqual({ running: 5, waiting: 1, cacheUsage: 0.5 });
});

test('the other kinds that have metrics', () => {
  expect(readLoad('sglang', 'sglang:num_running_reqs{model_name="m"} 4\nsglang:num_queue_reqs 2')).toEqual({
    running: 4,
    waiting: 2,
  });
  expect(readLoad('llama-server', 'llamacpp:requests_processing 1\nllamacpp:requests_deferred 7\n')).toEqual({
    running: 1,
    waiting: 7,
  });
  expect(readLoad('ollama', 'hearth_leases{model="a"} 2\nhearth_leases{model="b"} 1\n')).toEqual({
    running: 3,
    waiting: 0,
  });
  expect(readLoad('openai', 'hearth_leases{model="a"} 2')).toBeUndefined();
});

test('label values with braces and spaces, timestamps, and carriage returns', () => {
  const text = 'vllm:num_requests_running{model_name="a } 9 {"} 3 1700000000000\r\n';
  expect(readLoad('vllm', text)).toEqual({ running: 3, waiting: 0 });
});

test('what is no number is left out', () => {
  const names = 'vllm:num_requests_running';
  expect(readLoad('vllm', `${names} NaN\n${names} -1\n${names} +Inf\n${names}\n${names}{ 3\n{} 4\n 5`)).toBeUndefined();
  expect(readLoad('vllm', '<html><body>404</body></html>')).toBeUndefined();
});

test('an endpoint is full if its queue is long or its cache is in use', () => {
  expect(isFull({ running: 8, waiting: 1 })).toBe(false);
  expect(isFull({ running: 8, waiting: 3 })).toBe(true);
  expect(isFull({ running: 0, waiting: 2 })).toBe(true);
  expect(isFull({ running: 8, waiting: 0, cacheUsage: 0.99 })).toBe(true);
});
