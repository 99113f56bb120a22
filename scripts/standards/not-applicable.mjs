// Tests of other people that this server cannot pass here, with the reason. A test that fails and is not in this list
// fails the run.

const network = 'fetches a file from the internet';
const weakModel = 'the test model, with 42 million parameters, answers without the tool or with another text';
const otherModel = "expects texts, tokens or vectors of the suite's own model";

/** The pattern matches the name of the suite, the name of the test, and what it says. */
const notApplicable = [
  { pattern: /^langchain .*test_image_inputs/, reason: network },
  { pattern: /^langchain .*test_unicode_tool_call_integration/, reason: weakModel },
  {
    pattern: /^langchain .*TestOllama::test_tool_(?:calling|choice)/,
    reason: `ChatOllama does not send tool_choice, and ${weakModel}`,
  },
  { pattern: /^llama\.cpp .*vision_base64_with_multimodal_model/, reason: network },
  {
    pattern: /^llama\.cpp .*(?:tool_result_with_image|vision_format_accepted)/,
    reason: 'expects an error of a model without vision; the model here sees images',
  },
  { pattern: /^llama\.cpp .*empty_messages/, reason: 'expects an answer to no message, which Anthropic refuses' },
  {
    pattern: /^llama\.cpp .*thinking_history_in_(?:count_tokens|template)/,
    reason: 'needs a template that shows the thinking of earlier turns',
  },
  {
    pattern: /^llama\.cpp .*thinking_with_reasoning_model/,
    reason: 'needs a server with another model; the model here does not think',
  },
  {
    pattern: /^llama\.cpp .*(?:test_infill_with|test_tokenize_with_bos|test_rerank:|tei_format|rerank_usage)/,
    reason: otherModel,
  },
  { pattern: /^llama\.cpp .*test_responses_with_openai_library/, reason: otherModel },
  { pattern: /^llama\.cpp .*test_gcp_predict/, reason: "the format of Google's prediction service is not offered" },
  {
    pattern: /^llama\.cpp .*test_responses_stream_with_llama_telemetry/,
    reason: "llama-server's own progress and timings in a response are not offered",
  },
  {
    pattern: /^llama\.cpp .*Expected non empty content delta/,
    reason: 'the first delta has the role and an empty text, as in OpenAI; llama-server has null instead of the text',
  },
  { pattern: /^llama\.cpp .*test_(?:hello_world|thoughts|calc_result).*: AssertionError: Expected/, reason: weakModel },
  { pattern: /^gpt-oss .*Max turns \(\d+\) exceeded/, reason: 'the test model calls the tool in every turn' },
  { pattern: /^gpt-oss \d+ \w+ \w+: (?!.*calledToolAtLeastOnce)/, reason: weakModel },
  {
    pattern: /^ollama TestContext\/.*none of \[|^ollama TestConcurrency\/.*none of \[/,
    reason: `${weakModel} (the suite looks for words)`,
  },
  { pattern: /^ollama TestBasic\/thinking-enabled\/.*expected final answer/, reason: weakModel },
  { pattern: /^ollama TestTools\/tools-routes\/.*(?:no tool call|tool name = "")/, reason: weakModel },
  { pattern: /^ollama TestEmbedding\/embed.*: expected \d+(?: floats)?, got 32/, reason: otherModel },
];

/** A test that fails and is in the list does not apply. */
export function judge(suite, result) {
  if (result.status !== 'failed') return result;
  const row = notApplicable.find(({ pattern }) => pattern.test(`${suite} ${result.name}: ${result.reason}`));
  return row ? { ...result, status: 'skipped', reason: row.reason } : result;
}
