import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { planImport } from '../../../src/compose/importHosts.ts';
import type { MachineEntry } from '../../../src/machines/machineEntry.ts';
import { machineOptions } from '../../../src/presentation/machines/machineOptions.ts';
import {
  amountOf,
  minutesOf,
  mountOf,
  warningOf,
} from '../../../src/presentation/machines/machineValues.ts';
import {
  readMachineOptions,
  readMachineWords,
  splitArguments,
} from '../../../src/presentation/machines/machineWords.ts';

const localPath = (path: string): string => `/here/${path}`;
const parse = (line: string) =>
  readMachineWords(splitArguments(line), { aliases: ['lab'], localPath });

describe('words about machines', () => {
  const understood: [string, unknown][] = [
    ['', { action: 'list' }],
    ['list', { action: 'list' }],
    [' rm  gpu1 ', { action: 'rm', id: 'gpu1' }],
    ['test gpu1', { action: 'test', id: 'gpu1' }],
    ['import --all', { action: 'import', names: 'all' }],
    ['--all import', { action: 'import', names: 'all' }],
    ['import lab gpu1', { action: 'import', names: ['lab', 'gpu1'] }],
  ];
  for (const [line, request] of understood)
    it(`understands "${line}"`, () => {
      assert.deepEqual(parse(line), request);
    });

  const added: [string, MachineEntry][] = [
    [
      'gpu1 ada@gpu1.lab:2222',
      { id: 'gpu1', kind: 'ssh', host: 'gpu1.lab', user: 'ada', port: 2222 },
    ],
    [
      '--key=k g lab --auth key',
      { id: 'g', kind: 'ssh', alias: 'lab', auth: 'key', keyPath: '/here/k' },
    ],
    ['g h --slots 2 --gpus 0,1', { id: 'g', kind: 'ssh', host: 'h', slots: 2, gpuIds: ['0', '1'] }],
    [
      `c ada@login --kind slurm --partition gpu --account lab --qos high --time 1-12 --gpus 0 --cpus 8 --memory 32G
        --flag --exclusive --flag=--constraint=a100 --prologue 'module load cuda' --prologue "conda activate 'lab'"
        --requeue --runs-folder /shared --warning USR1@120 --work-folder ~/work`,
      {
        id: 'c',
        kind: 'slurm',
        host: 'login',
        user: 'ada',
        partition: 'gpu',
        account: 'lab',
        qos: 'high',
        timeLimitMinutes: 2160,
        gpus: 0,
        cpus: 8,
        memoryMb: 32_768,
        flags: ['--exclusive', '--constraint=a100'],
        prologue: ['module load cuda', "conda activate 'lab'"],
        requeue: true,
        runsFolder: '/shared',
        warning: { signal: 'USR1', seconds: 120 },
        workFolder: '~/work',
      },
    ],
    ['here --kind slurm', { id: 'here', kind: 'slurm' }],
    [
      `g h --prologue 'source ~/venv/bin/activate' --env HF_HOME=/data/hf --env "NOTE=a = b" --pass-env WANDB_API_KEY --pass-env AWS_*`,
      {
        id: 'g',
        kind: 'ssh',
        host: 'h',
        prologue: ['source ~/venv/bin/activate'],
        env: { HF_HOME: '/data/hf', NOTE: 'a = b' },
        passEnvironment: ['WANDB_API_KEY', 'AWS_*'],
      },
    ],
    [
      `box --kind container --image python:3.12-slim --mount .:/project --mount data:/data:ro --network bridge --cpus 3.5
        --memory 512M --gpus all --user 1000:1000 --engine tcp://h:2375 --slots 1`,
      {
        id: 'box',
        kind: 'container',
        image: 'python:3.12-slim',
        mounts: [
          { source: '/here/.', target: '/project' },
          { source: '/here/data', target: '/data', isReadOnly: true },
        ],
        network: 'bridge',
        cpus: 3.5,
        memoryMb: 512,
        gpus: 'all',
        user: '1000:1000',
        engine: 'tcp://h:2375',
        slots: 1,
      },
    ],
    [
      'box --kind container --dockerfile D --build-context . --gpus 2',
      { id: 'box', kind: 'container', dockerfile: '/here/D', buildContext: '/here/.', gpus: 2 },
    ],
  ];
  const early = '--slots 2 --work-folder add add g h';
  const entryOfEarly: MachineEntry = {
    id: 'g',
    kind: 'ssh',
    host: 'h',
    slots: 2,
    workFolder: 'add',
  };
  it('takes options in front of what is to be done', () => {
    assert.deepEqual(parse(early), { action: 'add', entry: entryOfEarly });
  });

  for (const [line, entry] of added)
    it(`adds ${line.split('\n')[0] ?? ''}`, () => {
      assert.deepEqual(parse(`add ${line}`), { action: 'add', entry });
    });

  const refused: [string, RegExp, RegExp][] = [
    ['add', /^Missing required argument 'id'\.$/, /Use one of: add ID/],
    ['add gpu1', /needs a host/, /user@host/],
    ['add a b c', /^Too many arguments for 'add'\. Expected 2 .*: a, b, c\.$/, /add ID/],
    ['add a b:c', /is not a host/, /user@host/],
    ['add a b --key', /^Option '--key <FILE>' argument missing\.$/, /Use one of/],
    [
      'add a b --key --auth key',
      /'--auth' is invalid\. Expected: the file of the private key, .* --key ~\/\.ssh/,
      /Use one of/,
    ],
    ['add a b --slot 3', /^Unknown option '--slot'\. Did you mean --slots\?$/, /Use one of/],
    ['add a b -p 3', /^Unknown option '-p'\.$/, /Use one of/],
    ['add a b --all', /^Unknown option '--all'\.$/, /Use one of/],
    ['add a b --auth magic', /Invalid value of --auth: "magic"/, /agent, key, password/],
    ['add a b --slots 0', /Invalid value of --slots: "0"/, /--slots 4/],
    [
      'add a b --partition gpu',
      /--partition applies only to the kind slurm, but this machine is of the kind ssh/,
      /--key, --auth.*--slots/,
    ],
    [
      'add a --kind slurm --image x',
      /applies only to the kind container, but this machine is of the kind slurm/,
      /--partition/,
    ],
    ['add a --kind slurm --requeue=no', /^Unknown option '--requeue=no'/, /Use one of/],
    ['add a --kind slurm --time soon', /Invalid value of --time: "soon"/, /24h/],
    ['add a --kind container --image i --mount x', /Invalid value of --mount: "x"/, /\.:\/project/],
    [
      'add a --kind container --network all --image i',
      /Invalid value of --network: "all"/,
      /none, bridge or host/,
    ],
    ['add a h --kind container', /A container has no host/, /--image/],
    ['add a --kind pod', /Allowed choices are ssh, slurm, container\.$/, /Use one of/],
    ['rm', /Missing required argument 'id'/, /rm ID/],
    ['rm a b', /Too many arguments for 'rm'/, /rm ID/],
    ['rm a --key k', /Unknown option '--key'/, /add ID/],
    ['list all', /Too many arguments for 'list'/, /list/],
    ['drop gpu1', /^Unknown command 'drop'\.$/, /rm ID/],
    ['ad gpu1 h', /^Unknown command 'ad'\. Did you mean add\?$/, /add ID/],
    ['--help', /^Unknown option '--help'\.$/, /Use one of/],
    ['import', /Expected host names or --all/, /--all/],
    ['import --all lab', /Expected host names or --all/, /--all/],
    ['import lab --key k', /Unknown option '--key'/, /--all/],
    ["add a 'b", /quote/, /closing quote/],
  ];
  for (const [line, message, action] of refused)
    it(`refuses "${line}"`, () => {
      assert.throws(() => parse(line), { reason: 'user', message, action });
    });

  it('leaves what the entry lacks to its check', () => {
    assert.throws(() => parse('add a --kind container'), /either image or dockerfile/);
    assert.throws(() => parse('add local h'), /"local" is this computer/);
  });

  it('understands the example of every option', () => {
    for (const { name, kinds, example, value } of machineOptions)
      for (const kind of kinds) {
        const words = splitArguments(value === undefined ? `--${name}` : `--${name} ${example}`);
        assert.equal(
          Object.keys(readMachineOptions(words, kind, localPath)).length,
          1,
          `${kind} --${name}`,
        );
      }
  });

  it('takes nothing but options where only they are wanted', () => {
    assert.deepEqual(readMachineOptions([], 'slurm', localPath), {});
    assert.throws(() => readMachineOptions(['gpu'], 'slurm', localPath), {
      message: /Too many arguments/,
      action: /Options for the kind slurm: --/,
    });
    assert.throws(() => readMachineOptions(['--kind', 'ssh'], 'slurm', localPath), {
      message: /Unknown option '--kind'/,
    });
  });
});

describe('values of machines', () => {
  const amounts: [string, number | undefined][] = [
    ['16G', 16_384],
    ['1.5GiB', 1536],
    ['512', 512],
    ['512m', 512],
    ['2TB', 2_097_152],
    ['0', undefined],
    ['G', undefined],
    ['16 K', undefined],
  ];
  const times: [string, number | undefined][] = [
    ['90', 90],
    ['90:30', 91],
    ['1:30:00', 90],
    ['2-0', 2880],
    ['1-12:30', 2190],
    ['1-12:30:01', 2191],
    ['90m', 90],
    ['24h', 1440],
    ['2d', 2880],
    ['0', undefined],
    ['1:2:3:4', undefined],
    ['tomorrow', undefined],
  ];
  it('reads amounts of memory as megabytes', () => {
    for (const [text, megabytes] of amounts) assert.equal(amountOf(text), megabytes, text);
  });
  it("reads times as minutes, Slurm's own forms too", () => {
    for (const [text, minutes] of times) assert.equal(minutesOf(text), minutes, text);
  });
  it('reads mounts and warnings', () => {
    assert.deepEqual(mountOf('a:/b:rw', localPath), { source: '/here/a', target: '/b' });
    const drives: readonly (readonly [string, string])[] = [
      ['C:\\a b:/b:ro', 'C:\\a b'],
      ['C:/a:/b:ro', 'C:/a'],
      ['\\\\server\\share:/b:ro', '\\\\server\\share'],
    ];
    for (const [text, source] of drives)
      assert.deepEqual(
        mountOf(text, (path) => path),
        { source, target: '/b', isReadOnly: true },
      );
    assert.deepEqual(mountOf('c:/b', localPath), { source: '/here/c', target: '/b' });
    for (const text of ['C:\\a', 'C:\\a:b', 'a', 'a:b', ':/b', 'a:/b:no', 'a:/b:ro:ro'])
      assert.equal(mountOf(text, localPath), undefined);
    assert.deepEqual(warningOf('SIGTERM@60'), { signal: 'TERM', seconds: 60 });
    for (const text of ['USR1', 'USR1@', '@3', 'usr1@3', 'USR1@0'])
      assert.equal(warningOf(text), undefined);
  });
});

describe('hosts of the ssh config as machines', () => {
  const host = (alias: string, isForGit = false) => ({ alias, isForGit });
  const hosts = [host('lab'), host('gpu1.lab.org'), host('github.com', true), host('local')];

  it('takes all that are not there, and says what it left', () => {
    const plan = planImport(hosts, [{ id: 'a', kind: 'ssh', alias: 'lab' }], 'all');
    assert.deepEqual(plan.entries, [
      { id: 'gpu1', kind: 'ssh', alias: 'gpu1.lab.org' },
      { id: 'local-2', kind: 'ssh', alias: 'local' },
    ]);
    assert.equal(
      plan.summary,
      'Added gpu1.lab.org, local. Already in the list: lab. Skipped, because their user is git: github.com.',
    );
  });

  it('takes those that are named, also for git', () => {
    assert.deepEqual(planImport(hosts, [], ['github.com', 'github.com']).entries, [
      { id: 'github', kind: 'ssh', alias: 'github.com' },
    ]);
    assert.throws(() => planImport(hosts, [], ['labb']), {
      message: /Not a host of your SSH config: labb/,
      action: /lab, gpu1\.lab\.org/,
    });
    assert.equal(planImport([], [], 'all').summary, 'Nothing to add.');
  });
});
