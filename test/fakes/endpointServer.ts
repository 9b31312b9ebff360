/** What servers of models answer beside Chat Completions, as they write it. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Body = Readonly<Record<string, unknown>>;
/** `GET /v1/models` → its answer, made from the body where there is one; a number is a status. */
export type Routes = Readonly<Record<string, unknown | ((body: Body) => unknown)>>;

export class EndpointServer {
  readonly asked: { readonly route: string; readonly headers: IncomingHttpHeaders }[] = [];
  readonly #server: Server;

  static async start(routes: Routes): Promise<EndpointServer> {
    const server = new EndpointServer(routes);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  private constructor(routes: Routes) {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const route = `${request.method} ${request.url}`;
        this.asked.push({ route, headers: request.headers });
        const sent = Buffer.concat(parts).toString('utf8');
        const made = routes[route];
        const answer =
          typeof made === 'function'
            ? (made as (body: Body) => unknown)(JSON.parse(sent) as Body)
            : made;
        const status = answer === undefined ? 404 : typeof answer === 'number' ? answer : 200;
        response.writeHead(status, {
          'content-type': typeof answer === 'string' ? 'text/html' : 'application/json',
        });
        const body =
          status === 200 ? answer : { error: { message: `It is ${status}`, type: 'error' } };
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

const data = (...entries: readonly Body[]) => ({ object: 'list', data: entries });
const model = (id: string, owner: string, more: Body = {}): Body => ({
  id,
  object: 'model',
  owned_by: owner,
  ...more,
});

const shown: Readonly<Record<string, Body>> = {
  'qwen3:8b': {
    capabilities: ['completion', 'tools', 'thinking'],
    parameters:
      'stop                           "<|im_end|>"\nnum_ctx                        16384\n',
    model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40960 },
  },
  'gemma3:4b': {
    capabilities: ['completion', 'vision'],
    model_info: { 'gemma3.context_length': 131072 },
  },
  'llama3:8b': {
    capabilities: ['completion', 'tools'],
    model_info: { 'llama.context_length': 8192 },
  },
  'nomic-embed-text:latest': {
    capabilities: ['embedding'],
    model_info: { 'nomic-bert.context_length': 2048 },
  },
};

const tags = Object.keys(shown).map((name) => ({ name, model: name, size: 1 }));

/** Kinds of servers by their answers. */
export const servers = {
  openRouter: {
    'GET /v1/models': data(
      model('qwen/qwen3-coder', 'qwen', {
        name: 'Qwen: Qwen3 Coder',
        created: 1753230546,
        context_length: 262144,
        architecture: { input_modalities: ['text'], output_modalities: ['text'] },
        pricing: {
          prompt: '0.00000022',
          completion: '0.00000095',
          input_cache_read: '0.000000022',
          image: '0',
        },
        top_provider: { context_length: 131072, max_completion_tokens: 65536 },
        supported_parameters: ['max_tokens', 'reasoning', 'tools', 'tool_choice'],
      }),
      model('deepseek/deepseek-r1:free', 'deepseek', {
        context_length: 163840,
        architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
        pricing: { prompt: '0', completion: '0' },
        top_provider: { context_length: null, max_completion_tokens: null },
        supported_parameters: ['max_tokens', 'reasoning'],
      }),
      model('openrouter/auto', 'openrouter', {
        context_length: 2000000,
        pricing: { prompt: '-1', completion: '-1' },
        supported_parameters: ['tools'],
      }),
      model('black-forest-labs/flux', 'bfl', {
        architecture: { input_modalities: ['text'], output_modalities: ['image'] },
        pricing: { prompt: '0', completion: '0' },
      }),
    ),
  },
  vllm: {
    'GET /v1/models': data(
      model('Qwen/Qwen3-32B', 'vllm', { max_model_len: 24576, root: 'Qwen/Qwen3-32B' }),
    ),
  },
  llamaCpp: {
    'GET /v1/models': data(
      model('gemma-2-9b.gguf', 'llamacpp', { meta: { n_ctx_train: 8192, n_params: 1 } }),
    ),
    'GET /props': {
      default_generation_settings: { n_ctx: 6144 },
      modalities: { vision: false },
      chat_template_caps: { supports_tools: false, supports_tool_calls: false },
    },
  },
  lmStudio: {
    'GET /v1/models': data(
      model('qwen2.5-7b', 'organization_owner'),
      model('nomic-embed', 'organization_owner'),
    ),
    'GET /api/v0/models': data(
      model('qwen2.5-7b', 'x', {
        type: 'llm',
        state: 'loaded',
        max_context_length: 32768,
        loaded_context_length: 12288,
      }),
      model('llava', 'x', { type: 'vlm', state: 'not-loaded', max_context_length: 4096 }),
      model('nomic-embed', 'x', {
        type: 'embeddings',
        state: 'not-loaded',
        max_context_length: 2048,
      }),
    ),
  },
  ollama: {
    'GET /v1/models': data(...tags.map(({ name }) => model(name, 'library'))),
    'GET /api/tags': { models: tags },
    'GET /api/ps': { models: [{ name: 'llama3:8b', model: 'llama3:8b', context_length: 8192 }] },
    'POST /api/show': ({ model: name }: Body) => shown[String(name)] ?? 404,
  },
  plain: { 'GET /v1/models': data(model('some-model', 'someone'), model('another', 'someone')) },
} satisfies Readonly<Record<string, Routes>>;
