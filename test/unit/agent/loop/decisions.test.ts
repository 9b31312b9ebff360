/** What the gate decided of each call of a session, and on what, stands in the journal. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

describe('decisions of the gate', () => {
  let bed: TestEngine;

  afterEach(() => bed.dispose());

  it('are recorded with their accesses for every call, also where a rule allows it', async () => {
    const model = new ScriptedModel([
      [
        { name: 'write_file', input: { path: 'x', content: 'x' } },
        { name: 'read_file', input: { path: 'x' } },
        { name: 'memory_write', input: { path: '/goal', content: 'x', gist: 'x' } },
        { name: 'remote_exec', input: { command: 'touch y' } },
        { name: 'remote_exec', input: { command: 'cat x' } },
        { name: 'ask_user', input: { question: 'Which?', default: 'this' } },
      ],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
    ]);
    bed = await testEngine(model, {
      settings: { permissionMode: 'ask' },
      approve: () => Promise.resolve('allow'),
    });
    const session = await bed.start();
    await session.ended;
    const path = `${session.state.workFolder}/x`;
    const machineId = 'local';
    const safe = { kind: 'safe', reason: '', part: '' };
    const asked = { kind: 'ask', reason: 'writes files', part: 'touch y' };
    const decided = eventsOf(session, 'permission.decided').map(({ by, accesses }) => ({
      by,
      accesses,
    }));
    assert.deepEqual(decided, [
      { by: 'person', accesses: [{ kind: 'write', machineId, path }] },
      { by: 'rule', accesses: [{ kind: 'read', machineId, path }] },
      { by: 'rule', accesses: undefined },
      {
        by: 'person',
        accesses: [{ kind: 'command', machineId, command: 'touch y', verdict: asked }],
      },
      { by: 'rule', accesses: [{ kind: 'command', machineId, command: 'cat x', verdict: safe }] },
      { by: 'rule', accesses: undefined },
      { by: 'rule', accesses: undefined },
    ]);
    const started = eventsOf(session, 'tool.started').map(({ name, changesCode }) => ({
      name,
      changesCode,
    }));
    assert.deepEqual(started, [
      { name: 'write_file', changesCode: true },
      { name: 'read_file', changesCode: false },
      { name: 'memory_write', changesCode: false },
      { name: 'remote_exec', changesCode: true },
      { name: 'remote_exec', changesCode: true },
      { name: 'ask_user', changesCode: false },
      { name: 'finish', changesCode: false },
    ]);
    const quiet = eventsOf(session, 'tool.finished').filter(({ isQuiet }) => isQuiet);
    assert.deepEqual(
      quiet.map(({ name }) => name),
      ['ask_user'],
    );
  });
});
