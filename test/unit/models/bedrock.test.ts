import { createBedrockProvider } from '../../../src/models/bedrock/bedrock.ts';
import { list, text, type JsonObject } from '../../fakes/wire.ts';
import { bedrockModelOf, startWireBedrock } from '../../fakes/wireBedrock.ts';
import { behavesAsAProvider } from './contract.ts';

const parts = (body: JsonObject): JsonObject[] =>
  list(body.messages).flatMap(({ content }) => list(content));
const ofType = (body: JsonObject, type: string): JsonObject[] =>
  parts(body).filter((part) => part.type === type);

behavesAsAProvider({
  name: 'bedrock',
  model: 'global.anthropic.claude-opus-4-6-v1',
  start: startWireBedrock,
  create: createBedrockProvider,
  sent: {
    model: bedrockModelOf,
    system: (body) =>
      list(body.system)
        .map((part) => text(part.text))
        .join('\n'),
    tools: (body) => list(body.tools).map(({ name }) => text(name)),
    results: (body) => ofType(body, 'tool_result').map((part) => text(part.tool_use_id)),
    thinking: (body) => ofType(body, 'thinking').map((part) => text(part.thinking)),
  },
});
