import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { refusingPrompts, terminalPrompts } from '../../../src/cli/machines/machinePrompts.ts';
import { LazyMachine } from '../../../src/machines/lazyMachine.ts';
import { MachineFailure, type Machine } from '../../../src/machines/machine.ts';
import type { MachineEntry } from '../../../src/machines/machineEntry.ts';
import type { ResourceSample } from '../../../src/machines/resources/resourceSample.ts';
import { machineTable } from '../../../src/cli/machines/machineTable.ts';
import type { MachineReport } from '../../../src/presentation/machines/machineReport.ts';
import { machineOptions } from '../../../src/presentation/machines/machineOptions.ts';
import { fakeDeps, type FakeDeps, type FakeDepsOptions } from '../../fakes/cliDeps.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { standIn } from '../../fakes/scriptedMachine.ts';

describe('helios machine', () => {
  const folder = scratchFolder();
  const file = (home = 'home'): string => path.join(folder(), home, 'machines.json');
  const machines = (home?: string): unknown =>
    (JSON.parse(readFileSync(file(home), 'utf8')) as { machines: unknown }).machines;
  const world = (options: Partial<FakeDepsOptions> = {}): FakeDeps =>
    fakeDeps({
      folder: folder(),
      createMachine: (entry) =>
        standIn(entry, folder(), () =>
          entry.host === 'dead'
            ? Promise.reject(new MachineFailure('unreachable', 'no route to dead'))
            : Promise.resolve('8 CPUs'),
        ),
      ...options,
    });
  const helios = async (...argv: string[]): Promise<FakeDeps & { code: number }> => {
    const it = world();
    it.stdout.columns = 160;
    const code = await runCli(argv, it);
    return Object.assign(it, { code });
  };

  it('adds a machine, replaces it, and takes it off again', async () => {
    writeFileSync(path.join(folder(), 'key'), '');
    const added = await helios(
      'machine',
      'add',
      'gpu1',
      'ada@[::1]:2222',
      '--key',
      'key',
      '--auth',
      'key',
    );
    assert.deepEqual([added.code, added.stderr.text], [0, '']);
    assert.equal(
      added.stdout.text,
      'Added gpu1 (ada@[::1]:2222). Try it: helios machine test gpu1\n',
    );
    const keyPath = path.join(folder(), 'key');
    assert.deepEqual(machines(), [
      { id: 'gpu1', kind: 'ssh', host: '::1', user: 'ada', port: 2222, auth: 'key', keyPath },
    ]);
    assert.match(
      (await helios('machine', 'add', 'gpu1', 'lab', '--work-folder', '/data')).stdout.text,
      /^Replaced gpu1/,
    );
    assert.deepEqual(machines(), [{ id: 'gpu1', kind: 'ssh', alias: 'lab', workFolder: '/data' }]);
    assert.equal((await helios('machine', 'rm', 'gpu1')).stdout.text, 'Removed gpu1.\n');
    assert.match((await helios('machine', 'add', 'lab')).stdout.text, /^Added lab/);
    assert.deepEqual(machines(), [{ id: 'lab', kind: 'ssh', alias: 'lab' }]);
    await helios('machine', 'rm', 'lab');
    assert.deepEqual(machines(), []);
  });

  it('takes hosts of the ssh config, and says which', async () => {
    const { code, stdout } = await helios('machine', 'import', '--all');
    assert.deepEqual(
      [code, stdout.text],
      [0, 'Added lab. Skipped, because their user is git: github.com.\n'],
    );
    assert.deepEqual(machines(), [{ id: 'lab', kind: 'ssh', alias: 'lab' }]);
    assert.match(
      (await helios('machine', 'import', '--all')).stdout.text,
      /^Nothing to add\. Already in the list: lab/,
    );
  });

  it('says all of it when it is asked for help', async () => {
    for (const argv of [['machine'], ['machine', 'add', '--help'], ['machines', '-h']]) {
      const { code, stdout } = await helios(...argv);
      assert.equal(code, 0);
      assert.match(stdout.text, /^Usage: helios machine/);
    }
    const { stdout } = await helios('machine', 'add', '--help');
    for (const { name } of machineOptions) assert.match(stdout.text, new RegExp(` --${name} `));
  });

  it('lists machines with what they are, or why they do not answer', async () => {
    await helios('machine', 'add', 'gpu1', 'ada@gpu1:22', '--slots', '2', '--gpus', '0,1');
    await helios('machine', 'add', 'gpu2', 'dead');
    const { stdout } = await helios('machines');
    const [header, local, gpu1, gpu2] = stdout.text.split('\n');
    assert.match(header ?? '', /^machine  kind +place +status +slots +(gpu +)?load$/);
    assert.match(local ?? '', /^local +local +connected +.*\d+(\.\d)?\/\d+ GB +this computer · /);
    assert.match(
      gpu1 ?? '',
      /^gpu1 +ssh +ada@gpu1:22 +connected +2 +.*(load \d|CPU).* GB +8 CPUs$/,
    );
    assert.match(gpu2 ?? '', /^gpu2 +ssh +dead +unreachable +no route to dead$/);
    const rows = JSON.parse((await helios('machines', '--json')).stdout.text) as Record<
      string,
      unknown
    >[];
    assert.deepEqual(rows[2], {
      id: 'gpu2',
      kind: 'ssh',
      place: 'dead',
      status: 'unreachable',
      why: 'no route to dead',
    });
    const { resources, ...known } = rows[1] ?? {};
    assert.deepEqual(known, {
      id: 'gpu1',
      kind: 'ssh',
      place: 'ada@gpu1:22',
      status: 'connected',
      description: '8 CPUs',
      slots: 2,
      gpuIds: ['0', '1'],
    });
    assert.ok((resources as ResourceSample).memoryTotalBytes);
  });

  it('fits its list into the width of the terminal, columns that nobody fills left out', () => {
    const long: MachineReport = {
      id: 'gpu1',
      kind: 'ssh',
      place: 'p'.repeat(80),
      status: 'unreachable',
      why: 'w'.repeat(80),
    };
    const lines = machineTable([{ id: 'local', kind: 'local', status: 'connected' }, long], 72)
      .trimEnd()
      .split('\n');
    assert.deepEqual(
      lines.map((line) => line.length),
      [60, 63, 65, 72],
    );
    assert.match(lines[0] ?? '', /^machine {2}kind {3}place {33}status$/);
  });

  it('tries a machine', async () => {
    await helios('machine', 'add', 'gpu1', 'gpu1');
    await helios('machine', 'add', 'gpu2', 'dead');
    const good = await helios('machine', 'test', 'gpu1');
    assert.deepEqual(
      [good.code, good.stdout.text],
      [0, `gpu1 answers: 8 CPUs\nCommands start in ${folder()}.\n`],
    );
    const bad = await helios('machine', 'test', 'gpu2');
    assert.deepEqual([bad.code, bad.stderr.text], [1, 'gpu2 cannot be used: no route to dead\n']);
  });

  it('connects a machine to judge a command on it', async () => {
    await helios('machine', 'add', 'gpu1', 'gpu1');
    await helios('machine', 'add', 'gpu2', 'dead');
    const createMachine = (entry: MachineEntry): LazyMachine => {
      const failure = new MachineFailure('unreachable', 'no route to dead');
      const open = (): Promise<Machine> =>
        entry.id === 'gpu2'
          ? Promise.reject(failure)
          : Promise.resolve(standIn(entry, folder(), () => Promise.resolve('8 CPUs')));
      const connector = { open, retry: () => undefined, dispose: () => undefined };
      return new LazyMachine({ id: entry.id, kind: 'ssh', connector, clock: world().clock });
    };
    const may = async (id: string): Promise<string> => {
      const { stdout, stderr, ...deps } = world({ createMachine });
      await runCli(['may', '--machine', id, '--', 'ls'], { ...deps, stdout, stderr });
      return stdout.text + stderr.text;
    };
    assert.equal(await may('gpu1'), 'run      ls: only reads\n');
    assert.match(await may('gpu2'), /no route to dead/);
  });

  it('works in the home that is named, wherever it is named', async () => {
    await helios('--home', 'other', 'machine', 'add', 'gpu1', 'gpu1');
    await helios('machine', 'add', 'gpu2', 'gpu2', '--home', 'other');
    assert.equal((machines('other') as unknown[]).length, 2);
    assert.ok(!existsSync(file()));
  });

  const refused: [string[], RegExp][] = [
    [
      ['machine', 'ad', 'gpu1', 'gpu1'],
      /Unknown command 'ad'\. Did you mean add\?\nSee helios machine --help/,
    ],
    [['machine', 'add', 'gpu1'], /needs a host/],
    [['machine', 'add', 'gpu1', 'gpu1', '--auth', 'magic'], /agent, key, password/],
    [['machine', 'add', 'gpu1', 'gpu1:99999'], /"gpu1:99999" is not a host\.\nWrite user@host/],
    [['machine', 'add', 'local', 'gpu1'], /"local" is this computer/],
    [['machine', 'add', 'g:1', 'gpu1'], /is invalid: id: /],
    [['machine', 'add', 'gpu1', 'gpu1', '--key', 'none'], /nothing at .*none on this computer/],
    [['machine', 'rm', 'gpu9'], /There is no machine "gpu9"\.\nMachines: local\./],
    [['machine', 'test', 'gpu9'], /There is no machine "gpu9"/],
    [['machine', 'add', 'gpu1', 'gpu1', '--home'], /Option '--home <folder>' argument missing/],
    [
      ['machine', 'import', 'nowhere'],
      /Not a host of your SSH config: nowhere\.\nIts hosts: lab, github\.com\./,
    ],
    [['machine', 'rm', 'gpu1', '--json'], /Unknown option '--json'/],
    [['machines', 'please'], /Too many arguments for 'machines'/],
  ];
  for (const [argv, message] of refused)
    it(`refuses helios ${argv.join(' ')}`, async () => {
      const { code, stderr } = await helios(...argv);
      assert.equal(code, 1);
      assert.match(stderr.text, message);
      assert.ok(!existsSync(file()));
    });

  it('says what is wrong with a broken file, and leaves it', async () => {
    await helios('machine', 'add', 'gpu1', 'gpu1');
    writeFileSync(file(), '{ "version": 1,\n');
    const { code, stderr } = await helios('machine', 'add', 'gpu2', 'gpu2');
    assert.equal(code, 1);
    assert.match(
      stderr.text,
      /machines\.json, line 2: it is not valid JSON: it ends too early: .*\.\s+Fix the file by hand/,
    );
    assert.equal(readFileSync(file(), 'utf8'), '{ "version": 1,\n');
  });

  it('still takes a goal that begins with the word, in quotes', async () => {
    const it = world();
    it.stdin.end('');
    assert.equal(await runCli(['--yes', 'machine learning to loss < 1'], it), 1);
    assert.match(it.stderr.text, /there is no key/);
  });
});

describe('questions of machines in the terminal', () => {
  const folder = scratchFolder();
  const { signal } = new AbortController();
  const password = {
    machine: 'gpu1',
    host: { address: 'ada@gate', fingerprint: 'SHA256:def' },
    kind: 'password',
    prompt: '',
  } as const;
  const hostKey = {
    machine: 'gpu1',
    host: 'gpu1:2222',
    fingerprint: 'SHA256:abc',
    keyType: 'ssh-ed25519',
  };

  it('asks for a secret without showing it, one question at a time', async () => {
    const it = fakeDeps({ folder: folder(), isTerminal: true });
    const prompts = terminalPrompts(it);
    const [secret, isRight] = [
      prompts.askSecret(password, signal),
      prompts.confirmHostKey(hostKey, signal),
    ];
    await until('it asks', () => it.stdout.text.includes('gpu1: Password for ada@gate: '));
    assert.doesNotMatch(it.stdout.text, /SHA256/);
    it.stdin.write('hunter2\n');
    assert.equal(await secret, 'hunter2');
    await until('it asks again', () => it.stdout.text.includes('yes or no: '));
    assert.match(
      it.stdout.text,
      /the host gpu1:2222 was never seen before\.\nIts ssh-ed25519 key is SHA256:abc\./,
    );
    it.stdin.write('maybe\n');
    await until('it insists', () => it.stdout.text.split('Answer yes or no: ').length === 2);
    it.stdin.write('y\n');
    assert.equal(await isRight, true);
    assert.doesNotMatch(it.stdout.text, /hunter2/);
  });

  it('takes silence as no', async () => {
    const it = fakeDeps({ folder: folder(), isTerminal: true });
    const abort = new AbortController();
    const asked = terminalPrompts(it).askSecret(password, abort.signal);
    await until('it asks', () => it.stdout.text.includes('Password'));
    abort.abort();
    assert.equal(await asked, undefined);
    it.stdin.end();
    assert.equal(await terminalPrompts(it).confirmHostKey(hostKey, signal), false);
  });

  it('refuses where nobody can be asked, and says once what to do', async () => {
    const it = fakeDeps({ folder: folder() });
    const prompts = refusingPrompts(it);
    assert.equal(await prompts.askSecret(password, signal), undefined);
    assert.equal(await prompts.askSecret(password, signal), undefined);
    assert.equal(await prompts.confirmHostKey(hostKey, signal), false);
    assert.match(it.stderr.text, /^gpu1 needs an answer \(Password for ada@gate\), but/);
    assert.equal(it.stderr.text.split('nobody can be asked here').length, 2);
    assert.match(it.stderr.text, /SHA256:abc.*run helios machine test gpu1 in a terminal once/);
  });
});
