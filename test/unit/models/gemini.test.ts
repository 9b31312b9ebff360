import { createGeminiProvider } from '../../../src/models/gemini/gemini.ts';
import { list, text, type JsonObject } from '../../fakes/wire.ts';
import { geminiModelOf, startWireGemini } from '../../fakes/wireGemini.ts';
import { behavesAsAProvider } from './contract.ts';

const parts = (body: JsonObject): JsonObject[] =>
  list(body.contents).flatMap((content) => list(content.parts));

for (const model of ['gemini-3.8-flash', 'gemini-2.5-flash-lite'])
  behavesAsAProvider({
    name: `gemini (${model})`,
    model,
    hasParsedArguments: true,
    start: startWireGemini,
    create: createGeminiProvider,
    sent: {
      model: geminiModelOf,
      system: ({ systemInstruction }) =>
        list((systemInstruction as JsonObject).parts)
          .map((part) => text(part.text))
          .join('\n'),
      tools: (body) =>
        list(body.tools).flatMap((tool) =>
          list(tool.functionDeclarations).map(({ name }) => text(name)),
        ),
      results: (body) =>
        parts(body).flatMap(({ functionResponse }) =>
          functionResponse ? [text((functionResponse as JsonObject).id)] : [],
        ),
      thinking: (body) =>
        parts(body).flatMap((part) => (part.thought === true ? [text(part.text)] : [])),
    },
  });
