import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { MachineFailure } from '../../../../src/machines/machine.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { standIn } from '../../../fakes/scriptedMachine.ts';
import { eventsOf, testEngine } from '../../../fakes/testEngine.ts';

describe('a call that needs an approval, for a machine that is out of reach', () => {
  const lost = () =>
    Promise.reject(new MachineFailure('unreachable', 'No answer from gpu1 for 30 s.'));
  const calls = [
    { name: 'remote_exec', input: { machine_id: 'gpu1', command: 'make all' } },
    { name: 'write_file', input: { machine_id: 'gpu1', path: '/etc/motd', content: 'x' } },
    {
      name: 'remote_upload',
      input: { machine_id: 'gpu1', local_path: '.', remote_path: '/etc/x' },
    },
  ];
  for (const permissionMode of ['ask', 'mandate'] as const)
    for (const call of calls)
      it(`is an obstacle, not a question: ${call.name} in mode ${permissionMode}`, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'helios-away-'));
        let asked = 0;
        const quit = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
        const bed = await testEngine(
          new ScriptedModel((_request, index) => [index === 0 ? call : quit]),
          {
            settings: { permissionMode, report: 'never' },
            approve: () => {
              asked += 1;
              return Promise.resolve('deny' as const);
            },
            createMachine: (entry) =>
              Object.assign(standIn(entry, folder), { exec: lost, query: lost, stream: lost }),
          },
        );
        try {
          await bed.engine.machines.add({ id: 'gpu1', kind: 'ssh', host: 'gpu1.example.org' });
          const session = await bed.start();
          await session.ended;
          const [told] = eventsOf(session, 'tool.finished');
          assert.match(
            told?.text ?? '',
            /^gpu1 is out of reach: No answer from gpu1 for 30 s\. Try later, or sleep until it is back\./,
          );
          assert.equal(asked, 0);
          assert.deepEqual(
            eventsOf(session, 'permission.decided').map(({ isAllowed, by }) => [isAllowed, by])[0],
            [false, 'rule'],
          );
          assert.equal(eventsOf(session, 'question.asked').length, 0);
        } finally {
          await bed.dispose();
        }
      });
});
