import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import type { Disposable } from '../../../src/base/disposable.ts';
import { createRemote } from '../../../src/machines/createRemote.ts';
import { HomeFolders } from '../../../src/machines/homeFolders.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import type { MachineEntry } from '../../../src/machines/machineEntry.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { TestSshd } from '../../fakes/sshd.ts';
import { eventsOf, testEngine } from '../../fakes/testEngine.ts';

describe('machines of the list, over a real sshd', () => {
  const folder = scratchFolder();
  let sshd: TestSshd;
  const owned: Disposable[] = [];
  let asked: string[] = [];
  let isTrusted = false;
  before(async () => {
    sshd = await TestSshd.start();
  });
  after(() => sshd.dispose());
  afterEach(() => {
    for (const each of owned.splice(0)) each.dispose();
    asked = [];
    isTrusted = false;
    sshd.trustHostKey();
  });

  const create = (entry: MachineEntry): Machine & Disposable => {
    const config = [
      'Host lab',
      'HostName 127.0.0.1',
      `Port ${sshd.port}`,
      `UserKnownHostsFile ${sshd.knownHosts}`,
      `IdentityFile ${join(sshd.folder, 'key')}`,
    ];
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), 'config'), config.join('\n'));
    const machine = createRemote({
      prompts: {
        askSecret: ({ machine: id, kind }) => {
          asked.push(`${id} ${kind}`);
          return Promise.resolve(undefined);
        },
        confirmHostKey: ({ machine: id, keyType }) => {
          asked.push(`${id} ${keyType}`);
          return Promise.resolve(isTrusted);
        },
      },
      homes: new HomeFolders(join(folder(), 'homes.json'), (path, text) => writeFileAtomic(path, text, 0o600)),
      clock: systemClock,
      ssh: {
        configFile: join(folder(), 'config'),
        homeFolder: folder(),
        localUser: userInfo().username,
        agentSocket: undefined,
      },
    })(entry);
    owned.push(machine);
    return machine;
  };
  const lab: MachineEntry = { id: 'gpu1', kind: 'ssh', alias: 'lab', workFolder: '~/work' };

  it('connects when it is used first, and knows its folders from then on', async () => {
    const before = sshd.logins;
    const machine = create(lab);
    assert.throws(() => machine.runsFolder, { reason: 'unreachable' });
    assert.equal(sshd.logins, before);
    await machine.ready?.();
    const home = join(sshd.folder, 'home');
    assert.deepEqual([machine.homeFolder, machine.workFolder], [home, `${home}/work`]);
    assert.equal((await machine.exec('echo $((6 * 7))', { cwd: '/' })).stdout, '42\n');
    assert.equal(sshd.logins, before + 1);
  });

  it('knows its folders without a connection when it was reached before', async () => {
    await create(lab).ready?.();
    await sshd.stop();
    try {
      const machine = create(lab);
      await machine.ready?.();
      assert.equal(machine.runsFolder, `${join(sshd.folder, 'home')}/.helios/runs`);
      await assert.rejects(machine.stat('/'), { reason: 'unreachable' });
    } finally {
      await sshd.start();
    }
  });

  it('asks for a host that was never seen, and again only when a person wants it', async () => {
    rmSync(sshd.knownHosts);
    const machine = create(lab);
    await assert.rejects(machine.stat('/'), { reason: 'host_key' });
    assert.deepEqual(asked, ['gpu1 ssh-ed25519']);
    isTrusted = true;
    await machine.ready?.({ isAnew: true });
    assert.ok(await machine.stat('/'));
    assert.match(readFileSync(sshd.knownHosts, 'utf8'), /ssh-ed25519/);
  });

  it('follows a file there, also when it could not be reached at first', async () => {
    await sshd.stop();
    const machine = create(lab);
    const log = join(folder(), 'log');
    writeFileSync(log, 'loss=0.5\n');
    let text = '';
    const problems: string[] = [];
    const follow = machine.follow(log, 0, {
      onBytes: (bytes) => (text += Buffer.from(bytes).toString()),
      onChange: () => undefined,
      onError: ({ reason }) => problems.push(reason),
    });
    owned.push(follow);
    await until('it says so', () => problems.length > 0);
    await sshd.start();
    await machine.ready?.({ isAnew: true });
    await follow.drain();
    assert.equal(text, 'loss=0.5\n');
    assert.equal(problems[0], 'unreachable');
  });

  it('runs what a session launches, and wakes it at the end', async () => {
    const model = new ScriptedModel([
      [{ name: 'remote_exec_background', input: { machine_id: 'gpu1', command: 'pwd; echo loss=0.25', label: 'a' } }],
      [
        {
          name: 'sleep',
          input: { reason: 'the run', wake_conditions: [{ type: 'process_exit', machine_id: 'gpu1', run: 1 }] },
        },
      ],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'Enough.' } }],
    ]);
    const bed = await testEngine(model, { createMachine: create });
    try {
      mkdirSync(join(sshd.folder, 'home', 'work'), { recursive: true });
      await bed.engine.machines.add(lab);
      const session = await bed.start();
      await session.ended;
      const [ended] = eventsOf(session, 'run.ended');
      assert.equal(ended?.verdict.kind, 'ok');
      assert.equal(ended?.metrics[0]?.last, 0.25);
      assert.equal([...session.state.runs.values()][0]?.spec.cwd, join(sshd.folder, 'home', 'work'));
      assert.match(JSON.stringify(model.requests[0]?.system), /- gpu1: \S+@127\.0\.0\.1:\d+ · \d+ CPU/);
      assert.deepEqual(bed.engine.machines.status('gpu1'), { kind: 'connected' });
    } finally {
      await bed.dispose();
    }
  });
});
