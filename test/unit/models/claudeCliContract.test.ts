import { after, before } from 'mocha';
import { createClaudeCliProvider } from '../../../src/models/claudeCli/claudeCli.ts';
import { createClaudeUser, type ClaudeUser } from '../../fakes/claudeUser.ts';
import { list, text, type JsonObject } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { suiteNeeds } from '../../setup/needs.ts';
import { key } from './bench.ts';
import { behavesAsAProvider } from './contract.ts';

const parts = (body: JsonObject): JsonObject[] =>
  list(body.messages).flatMap(({ content }) => list(content));

suiteNeeds('linux')('claude-cli', () => {
  let user: ClaudeUser;
  before(async () => {
    user = await createClaudeUser();
  });
  after(() => user.dispose());

  behavesAsAProvider({
    name: 'claude-cli',
    model: 'claude-opus-4-6',
    start: startWireAnthropic,
    hasOwnKey: true,
    hidesWaits: true,
    looksTwice: true,
    losesCutText: true,
    asksForTheRest: (body) => /was cut off mid-stream/.test(JSON.stringify(parts(body).at(-1))),
    sortsTools: true,
    whenRefused: /\[key\].*\/login/,
    create: ({ baseUrl, clock, random }) =>
      createClaudeCliProvider({
        claudePath: user.claude,
        folder: user.folder,
        env: user.env(baseUrl, key),
        clock,
        random,
      }),
    sent: {
      system: ({ system }) =>
        list(system)
          .map((part) => text(part.text))
          .join('\n'),
      tools: ({ tools }) => list(tools).map(({ name }) => text(name)),
      results: (body) =>
        parts(body)
          .filter(({ type }) => type === 'tool_result')
          .map((part) => text(part.tool_use_id)),
      thinking: (body) =>
        parts(body)
          .filter(({ type }) => type === 'thinking')
          .map((part) => text(part.thinking)),
    },
  });
});
