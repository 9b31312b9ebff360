/**
 * Companies and routers whose models an agent or a script may call. Variables such as
 * `OPENAI_API_KEY` begin with these words.
 */
const services = [
  'AI21|ANTHROPIC|ANYSCALE|AZURE_(?:AI|INFERENCE|OPENAI)|BASETEN|CEREBRAS|CLAUDE(?:_CODE)?|CO|COHERE',
  'DASHSCOPE|DEEPINFRA|DEEPSEEK|FIREWORKS(?:_AI)?|GEMINI|GOOGLE(?:_AI|_GENAI|_GENERATIVE_AI)?|GROK|GROQ',
  'HYPERBOLIC|LITELLM|MINIMAX|MISTRAL|MOONSHOT|NEBIUS|NVIDIA(?:_NIM)?|OPENAI|OPENROUTER|PERPLEXITY|PPLX',
  'REPLICATE|SAMBANOVA|TOGETHER(?:_AI|AI)?|VOYAGE|XAI|ZAI|ZHIPU(?:AI)?',
].join('|');

const modelKey = new RegExp(
  `^(?:(?:${services})_(?:\\w+_)?(?:KEY|TOKEN)|AWS_BEARER_TOKEN_\\w+|AGENTHUB_KEY)$`,
  'i',
);

/**
 * Returns whether an environment variable holds a key with which models are called. Such a key
 * spends money, so Helios never passes it to other programs.
 */
export const isModelKey = (name: string): boolean => modelKey.test(name);
