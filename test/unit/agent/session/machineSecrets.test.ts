import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import type { CreateMachine } from '../../../../src/machines/list/machineRegistry.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { makeKey, scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';
import { eventsOf, testEngine } from '../../../fakes/testEngine.ts';

const passphrase = 'pass-phrase-4711';
const launch = {
  name: 'remote_exec_background',
  input: { machine_id: 'gpu1', command: 'echo step=1 loss=0.5', metric_names: ['loss'] },
};
const untilOver = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }] },
};
const quit = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };

describe('a session on a host whose key has a passphrase', () => {
  const folder = scratchFolder();
  let sshd: TestSshd;
  before(async () => {
    sshd = await TestSshd.start();
  });
  after(() => sshd.dispose());

  it('leaves neither passphrase nor key in its journal, or anywhere in the home', async () => {
    const key = path.join(folder(), 'key');
    makeKey(key, passphrase);
    copyFileSync(`${key}.pub`, path.join(sshd.folder, 'authorized_keys'));
    mkdirSync(path.join(folder(), 'there'));
    const prompts = scriptedPrompts({ secret: passphrase });
    const connection = new SshConnection(sshd.target({ identityFiles: [key] }), prompts);
    const createMachine: CreateMachine = () => {
      const homeFolder = path.join(folder(), 'there');
      return new SshMachine({ id: 'gpu1', connection, homeFolder, clock: systemClock });
    };
    const bed = await testEngine(new ScriptedModel([[launch], [untilOver], [quit]]), {
      createMachine,
    });
    try {
      await bed.engine.machines.add({
        id: 'gpu1',
        kind: 'ssh',
        host: '127.0.0.1',
        port: sshd.port,
        keyPath: key,
      });
      await connection.ready({ mayAsk: true });
      const session = await bed.start();
      assert.equal(await session.ended, 'blocked');
      assert.deepEqual(
        eventsOf(session, 'run.ended').map(({ verdict }) => verdict.kind),
        ['ok'],
      );
      await bed.engine.close();
      const content = readFileSync(key, 'utf8').split('\n')[2] ?? '';
      assert.ok(content.length > 40);
      const files = readdirSync(bed.home, { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(bed.home, name),
      );
      const texts = files
        .filter((file) => statSync(file).isFile())
        .map((file) => readFileSync(file, 'latin1'));
      assert.ok(texts.some((text) => text.includes('"run.ended"')));
      for (const secret of [passphrase, content])
        assert.ok(!texts.some((text) => text.includes(secret)));
    } finally {
      connection.dispose();
      await bed.dispose();
    }
  });
});
