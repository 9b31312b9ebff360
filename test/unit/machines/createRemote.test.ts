import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import type { Disposable } from '../../../src/base/disposable.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { OwnEngines } from '../../../src/machines/container/ownEngines.ts';
import { createRemote } from '../../../src/machines/createRemote.ts';
import { HomeFolders } from '../../../src/machines/homeFolders.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import type { MachineEntry } from '../../../src/machines/machineEntry.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { makeKey, TestSshd } from '../../fakes/sshd.ts';
import { eventsOf, testEngine } from '../../fakes/testEngine.ts';

describe('machines of the list, over a real sshd', () => {
  const folder = scratchFolder();
  let sshd: TestSshd;
  const owned: Disposable[] = [];
  let asked: string[] = [];
  let isTrusted = false;
  let kept: string | undefined;
  before(async () => {
    sshd = await TestSshd.start();
  });
  after(() => sshd.dispose());
  afterEach(() => {
    for (const each of owned.splice(0)) each.dispose();
    asked = [];
    isTrusted = false;
    kept = undefined;
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
        keptSecret: () => Promise.resolve(kept),
        askSecret: ({ machine: id, kind }) => {
          asked.push(`${id} ${kind}`);
          return Promise.resolve(undefined);
        },
        confirmHostKey: ({ machine: id, keyType }) => {
          asked.push(`${id} ${keyType}`);
          return Promise.resolve(isTrusted);
        },
      },
      homes: new HomeFolders(join(folder(), 'homes.json'), (path, text) =>
        writeFileAtomic(path, text, 0o600),
      ),
      engines: new OwnEngines({
        home: folder(),
        file: join(folder(), 'engines.json'),
        write: writeFileAtomic,
        logger: silentLogger,
      }),
      clock: systemClock,
      ssh: {
        configFile: join(folder(), 'config'),
        homeFolder: folder(),
        localUser: userInfo().username,
        agents: [],
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

  it('asks for a host that was never seen, and again only when a user wants it', async () => {
    rmSync(sshd.knownHosts);
    const machine = create(lab);
    await assert.rejects(machine.exec('true', { cwd: '/' }), { reason: 'host_key' });
    assert.deepEqual(asked, ['gpu1 ssh-ed25519']);
    await assert.rejects(machine.exec('true', { cwd: '/' }), { reason: 'host_key' });
    assert.equal(asked.length, 1);
    isTrusted = true;
    await machine.ready?.({ isAnew: true });
    assert.ok(await machine.stat('/'));
    assert.match(readFileSync(sshd.knownHosts, 'utf8'), /ssh-ed25519/);
  });

  it('asks nobody for what only looks, and says what to do', async () => {
    rmSync(sshd.knownHosts);
    isTrusted = true;
    const machine = create(lab);
    const problems: string[] = [];
    owned.push(
      machine.follow('/tmp/log', 0, {
        onBytes: () => undefined,
        onChange: () => undefined,
        onError: ({ reason }) => problems.push(reason),
      }),
    );
    await assert.rejects(machine.stat('/'), {
      reason: 'host_key',
      message: /SHA256:.*Test the machine/,
    });
    await assert.rejects(machine.query('echo'), { reason: 'host_key' });
    await until('the follower says so', () => problems.includes('host_key'));
    assert.deepEqual(asked, []);
    // Somebody acts: at once, whatever is waited for.
    assert.equal((await machine.exec('echo done', { cwd: '/' })).stdout, 'done\n');
    assert.deepEqual(asked, ['gpu1 ssh-ed25519']);
  });

  it('logs in with what is kept, and asks for it only where somebody acts', async () => {
    const path = join(folder(), 'locked');
    makeKey(path, 'open sesame');
    const allowed = join(sshd.folder, 'authorized_keys');
    const others = readFileSync(allowed, 'utf8');
    writeFileSync(allowed, readFileSync(`${path}.pub`, 'utf8'));
    try {
      const machine = create({ ...lab, keyPath: path });
      await assert.rejects(machine.stat('/'), {
        reason: 'auth',
        message: /does not ask for in the background/,
      });
      assert.deepEqual(asked, []);
      await assert.rejects(machine.exec('true', { cwd: '/' }), {
        reason: 'auth',
        message: /cannot be opened|tried/,
      });
      assert.deepEqual(asked, ['gpu1 passphrase']);
      kept = 'open sesame';
      assert.ok(await create({ ...lab, keyPath: path }).stat('/'));
      assert.deepEqual(asked, ['gpu1 passphrase']);
    } finally {
      writeFileSync(allowed, others);
    }
  });

  it('tells at once that the way was lost and found, while nobody asks', async () => {
    const machine = create(lab);
    const told: string[] = [];
    machine.onDidChangeStatus?.(({ kind }) => told.push(kind));
    await machine.exec('true', { cwd: '/' });
    sshd.cut();
    await until('it is lost and found', () => told.length >= 3);
    assert.deepEqual(told, ['connected', 'unreachable', 'connected']);
  });

  it('follows a file there, also when it could not be reached at first', async () => {
    await sshd.stop();
    const machine = create(lab);
    const log = join(folder(), 'log');
    writeFileSync(log, 'loss=0.5\n');
    let text = '';
    const problems: string[] = [];
    const follow = machine.follow(log, 0, {
      onBytes: (bytes) => void (text += Buffer.from(bytes).toString()),
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
      [
        {
          name: 'remote_exec_background',
          input: { machine_id: 'gpu1', command: 'pwd; echo loss=0.25', label: 'a' },
        },
      ],
      [
        {
          name: 'sleep',
          input: {
            reason: 'the run',
            wake_conditions: [{ type: 'process_exit', machine_id: 'gpu1', run: 1 }],
          },
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
      assert.equal(
        [...session.state.runs.values()][0]?.spec.cwd,
        join(sshd.folder, 'home', 'work'),
      );
      assert.match(
        JSON.stringify(model.requests[0]?.system),
        /- gpu1: <untrusted from=\\"the machine\\">\S+@127\.0\.0\.1:\d+ · \d+ CPU/,
      );
      const { machines } = bed.engine;
      assert.deepEqual(machines.status('gpu1'), { kind: 'connected' });
      // Nobody uses it any more, and its status is right all the same.
      const kinds: string[] = [];
      machines.onDidChange(() => kinds.push(machines.status('gpu1').kind));
      sshd.cut();
      await until('it is lost and found', () => kinds.at(-1) === 'connected');
      assert.deepEqual([...new Set(kinds)], ['unreachable', 'connected']);
    } finally {
      await bed.dispose();
    }
  });
});
