// Tests of other people that this server cannot pass here, with the reason. A test that fails and is not in this list
// fails the run.

const weakModel = 'the test model, with 42 million parameters, answers without the tool or with another text';
const otherModel = "expects texts, tokens or vectors of the suite's own model";

/**
 * The pattern matches the name of the suite, the name of the test, and what it says: another failure of the same test is
 * a failure.
 */
const notApplicable = [
  { pattern: /^langchain .*test_unicode_tool_call_integration: .*at least 1 tool call, got 0/, reason: weakModel },
  {
    pattern:
      /^langchain .*TestOllama::test_tool_(?:calling.*: assert 0 == 1 where 0 = len\(\[\]\)|choice: AssertionError: assert \[\])/,
    reason: `ChatOllama does not send tool_choice, and ${weakModel}`,
  },
  {
    pattern: /^langchain .*TestOllama::test_anthropic_inputs: ValueError: Unsupported message content type/,
    reason: "ChatOllama refuses Anthropic's content blocks, and sends nothing",
  },
  {
    pattern: /^llama\.cpp .*(?:tool_result_with_image|vision_format_accepted): assert 200 == 500/,
    reason: 'expects an error of a model without vision; the model here sees images',
  },
  {
    pattern: /^llama\.cpp .*empty_messages: assert 400 == 200/,
    reason: 'expects an answer to no message, which Anthropic refuses',
  },
  {
    pattern:
      /^llama\.cpp .*(?:test_infill_with.*match_regex|test_tokenize_with_bos: assert \d+ == 1|rerank_usage.*: assert \d+ == \d+)/,
    reason: otherModel,
  },
  { pattern: /^llama\.cpp .*test_responses_(?:stream_)?with_openai_library: .*match_regex/, reason: otherModel },
  {
    pattern: /^llama\.cpp .*test_gcp_predict.*: assert 404 == 200/,
    reason: "the format of Google's prediction service is not offered",
  },
  {
    pattern: /^llama\.cpp .*test_responses_stream_with_llama_telemetry: .*path \/responses not found/,
    reason: "llama-server's own path, progress and timings of a response are not offered",
  },
  { pattern: /^llama\.cpp .*test_hello_world.*: AssertionError: Expected 1 tool call in/, reason: weakModel },
  { pattern: /^llama\.cpp .*test_(?:thoughts|calc_result).*: AssertionError: Expected .*, got /, reason: weakModel },
  { pattern: /^gpt-oss .*Max turns \(\d+\) exceeded/, reason: 'the test model calls the tool in every turn' },
  {
    pattern: /^gpt-oss \d+ \w+ \w+: \{"validResponse":true,"validEvents":true(?!.*calledToolAtLeastOnce)/,
    reason: weakModel,
  },
  {
    pattern: /^ollama TestContext\/.*none of \[|^ollama TestConcurrency\/.*none of \[/,
    reason: `${weakModel} (the suite looks for words)`,
  },
  { pattern: /^ollama TestBasic\/thinking-enabled\/.*expected final answer/, reason: weakModel },
  { pattern: /^ollama TestTools\/tools-routes\/.*(?:no tool call|tool name = "")/, reason: weakModel },
  {
    pattern: /^mcp \w+ (?:resources|prompts|completion)-/,
    reason: 'resources, prompts and completions are not offered',
  },
  {
    pattern: /^mcp hearth (?:tools-call-|elicitation-|logging-)/,
    reason: 'needs tools of the suite or log messages; the same scenario is run against the transport',
  },
  { pattern: /^ollama TestEmbedding\/embed.*: expected \d+(?: floats)?, got 32/, reason: otherModel },
];

/** A test that fails and is in the list does not apply. */
export function judge(suite, result) {
  if (result.status !== 'failed') return result;
  const row = notApplicable.find(({ pattern }) => pattern.test(`${suite} ${result.name}: ${result.reason}`));
  return row ? { ...result, status: 'skipped', reason: row.reason } : result;
}
