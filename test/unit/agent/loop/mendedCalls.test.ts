import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ApprovalRequest } from '../../../../src/agent/contract/ports.ts';
import type { ToolCallBlock } from '../../../../src/models/model.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const write: ToolCallBlock = {
  type: 'tool_call',
  id: 'call_a',
  name: 'write_file',
  input: { path: 'a.txt', content: 'say "hi"' },
};
const finish = [{ name: 'finish', input: { outcome: 'blocked', summary: 'done' } }];

describe('a call that was written wrongly', () => {
  let bed: TestEngine | undefined;
  afterEach(() => bed?.dispose());

  /** The result of the call, with everything allowed but what a user must be asked for. */
  async function resultOf(call: ToolCallBlock, answer: 'allow' | 'deny') {
    const asked: ApprovalRequest[] = [];
    const approve = (request: ApprovalRequest) => {
      asked.push(request);
      return Promise.resolve(answer);
    };
    const model = new ScriptedModel([{ reply: { content: [call], stop: 'tools' } }, finish]);
    bed = await testEngine(model, { approve });
    const session = await bed.start();
    await session.ended;
    const result = eventsOf(session, 'tool.finished').find(({ callId }) => callId === call.id);
    return { asked, result, file: path.join(bed.work, 'a.txt') };
  }

  it('and mended is made when a user allows it, who sees what was made of it', async () => {
    const { asked, result, file } = await resultOf(
      { ...write, repairs: ['quotes inside a text'] },
      'allow',
    );
    assert.equal(result?.isError, false);
    assert.equal(await readFile(file, 'utf8'), 'say "hi"');
    assert.match(
      asked[0]?.detail ?? '',
      /incorrectly \(quotes inside a text\).*read as:.*\ncontent: say "hi"/s,
    );
  });

  it('is shown as it runs: with the names and the defaults of the tool', async () => {
    const input = { text: 'hi\u202e', file: 'a.txt' };
    const call = { ...write, input, repairs: ['single quotes'] };
    const { asked, file } = await resultOf(call, 'allow');
    assert.equal(await readFile(file, 'utf8'), 'hi\u202e');
    assert.deepEqual(asked[0]?.detail.split('\n').slice(1), [
      'path: a.txt',
      'machine: local',
      'append: false',
      'content: hi⟨U+202E⟩',
      `writes on local: ${file}`,
    ]);
  });

  it('is named without hiding a character', async () => {
    const call = { ...write, input: { path: 'a\u202e.txt', content: '' }, repairs: ['a comma'] };
    const { asked } = await resultOf(call, 'deny');
    assert.equal(asked[0]?.title, 'Write a⟨U+202E⟩.txt');
  });

  it('and mended is not made otherwise, and the model is told to write it rightly', async () => {
    const { result, file } = await resultOf(
      { ...write, repairs: ['quotes inside a text'] },
      'deny',
    );
    assert.match(
      result?.text ?? '',
      /Not executed.*quotes inside a text.*write it again as valid JSON/,
    );
    await assert.rejects(access(file));
  });

  it('and not mended is made unasked', async () => {
    const { asked, result } = await resultOf(write, 'deny');
    assert.deepEqual([result?.isError, asked.length], [false, 0]);
  });

  it('and reads only is made unasked', async () => {
    const call = { ...write, name: 'list_machines', input: {}, repairs: ['Python words'] };
    const { asked, result } = await resultOf(call, 'deny');
    assert.deepEqual([result?.isError, asked.length], [false, 0]);
  });

  it('and cannot be read is answered with the reason alone', async () => {
    const problem = 'Nothing was executed: at line 1 column 3 it ends.';
    const { asked, result, file } = await resultOf({ ...write, input: '{"p', problem }, 'allow');
    assert.deepEqual([result?.text, result?.isError, asked.length], [problem, true, 0]);
    await assert.rejects(access(file));
  });
});
