// Tests of other people that this server cannot pass here, with the reason. A test that fails and is not in this list
// fails the run.

const network = 'fetches a file from the internet';
const weakModel = 'the test model, with 42 million parameters, answers without the tool or with another text';

/** The pattern matches the name of the suite and the test. */
export const notApplicable = [
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
    pattern: /^llama\.cpp .*thinking_history_in_count_tokens/,
    reason: 'needs a template that shows the thinking of earlier turns',
  },
  { pattern: /^llama\.cpp .*thinking_history_in_template/, reason: '/apply-template is a route of llama-server' },
  {
    pattern: /^llama\.cpp .*thinking_with_reasoning_model/,
    reason: 'starts a server of its own with another model',
  },
];
