import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { consult, type Question } from '../../../src/tools/session/consult.ts';
import { call } from './machineTools.harness.ts';

describe('consult', () => {
  it('passes the question on and gives the opinion as one, marked and bounded', async () => {
    const asked: Question[] = [];
    const tool = consult({
      consult(question) {
        asked.push(question);
        return Promise.resolve({
          provider: 'OpenAI',
          model: 'gpt-5.4',
          text: `Try \`\`\`lr\`\`\`.${'x'.repeat(60_000)}`,
        });
      },
    });
    const input = { question: 'Why NaN?', context: 'lr 3e-2', provider: 'openai', model: 'gpt' };
    const { content, summary } = await call(tool, input);
    assert.deepEqual(asked, [input]);
    assert.match(
      String(content),
      /^OpenAI \(gpt-5\.4\) saw .*an opinion.*\n<untrusted from="answer of OpenAI \(gpt-5\.4\)">\nTry ```lr```\.x/,
    );
    assert.match(String(content), /\n<\/untrusted>$/);
    assert.ok(String(content).length < 24_000);
    assert.equal(summary, 'answered by OpenAI (gpt-5.4)');
    await call(tool, { question: 'Why?', context: '' });
    assert.deepEqual(asked[1], { question: 'Why?' });
    assert.equal(tool.parse({ question: ' ' }).ok, false);
  });
});
