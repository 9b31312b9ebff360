import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { GitGuard } from '../../../src/agent/runs/gitGuard.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { realPath } from '../../../src/machines/realPath.ts';
import { SshConnection } from '../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../src/machines/ssh/sshMachine.ts';
import { patchFile } from '../../../src/tools/files/patchFile.ts';
import { writeFile } from '../../../src/tools/files/writeFile.ts';
import { remoteUpload } from '../../../src/tools/machines/remoteUpload.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { scriptedPrompts, TestSshd } from '../../fakes/sshd.ts';
import { eventsOf, testEngine, type TestEngine } from '../../fakes/testEngine.ts';
import { call, toolContext } from './machineTools.harness.ts';

function writesThroughLinks(name: string, machineIn: (workFolder: string) => Machine): void {
  describe(`writes through links on ${name}`, () => {
    const folder = scratchFolder();
    const path = (file: string): string => join(folder(), file);
    const read = (file: string): string => readFileSync(path(file), 'utf8');
    const bed = () => {
      mkdirSync(path('work/.git/hooks'), { recursive: true });
      mkdirSync(path('home/data'), { recursive: true });
      writeFileSync(path('home/notes.cfg'), 'mine');
      const machine = machineIn(path('work'));
      const local = machineIn(path('work'));
      const machines = createMachines(machine.id === 'local' ? [local] : [machine, localIn()]);
      return { machine, deps: { machines, git: new GitGuard(() => true) }, machine_id: machine.id };
    };
    const localIn = (): LocalMachine =>
      new LocalMachine({ runsFolder: path('runs'), workFolder: path('work') });
    const accessesOf = (tool: Tool, input: unknown) => {
      const parsed = tool.parse(input);
      assert.ok(parsed.ok);
      return tool.accesses(parsed.args);
    };

    it('are judged by the real path, which is asked about where it leaves the folder', async () => {
      const { deps, machine_id } = bed();
      symlinkSync('../home/notes.cfg', path('work/notes.md'));
      symlinkSync('../home/data', path('work/data'));
      symlinkSync('later', path('work/inside'));
      const tool = writeFile(deps);
      const cases = [
        ['notes.md', 'home/notes.cfg', true],
        ['data/new/x', 'home/data/new/x', true],
        ['inside/x', 'work/later/x', false],
        ['plain/x', 'work/plain/x', false],
        [path('work/data/../../home/data/y'), 'home/data/y', false],
      ] as const;
      for (const [file, real, isAsked] of cases) {
        const input = { machine_id, path: file, content: 'new' };
        const linkPath = resolve(path('work'), file);
        const access = { kind: 'write', machineId: machine_id, path: path(real) };
        const given = linkPath === path(real) ? {} : { givenPath: linkPath };
        assert.deepEqual(await accessesOf(tool, input), [
          { ...access, ...(isAsked ? { linkPath } : given) },
        ]);
        assert.deepEqual((await call(tool, input)).content, {
          ...{ written: path(real), lines: 1, bytes: 3 },
        });
        assert.equal(read(real), 'new');
      }
    });

    it('do not leave the folder for a place that the approval was not about', async () => {
      const { deps, machine_id } = bed();
      symlinkSync('../home/notes.cfg', path('work/notes.md'));
      symlinkSync('../home/data', path('work/data'));
      const why =
        /^Not written: \S+ leads through a link out of the working folder, to \S+home\/\S+\. Use/;
      const writes: readonly (readonly [Tool, object])[] = [
        [writeFile(deps), { path: 'notes.md', content: 'x' }],
        [writeFile(deps), { path: 'notes.md', content: 'x', append: true }],
        [patchFile(deps), { path: 'notes.md', old_string: 'mine', new_string: 'x' }],
        [remoteUpload(deps), { local_path: '.git', remote_path: 'data' }],
      ];
      for (const [tool, input] of writes) {
        const parsed = tool.parse({ machine_id, ...input });
        assert.ok(parsed.ok);
        await assert.rejects(tool.execute(parsed.args, toolContext()), { message: why });
      }
      assert.equal(read('home/notes.cfg'), 'mine');
    });

    it('have their counterpart in uploads, which show and send the real path', async () => {
      const { deps, machine_id } = bed();
      symlinkSync('../home/notes.cfg', path('work/metrics.csv'));
      const tool = remoteUpload(deps);
      const input = {
        ...{ machine_id: 'local', source_machine_id: machine_id },
        ...{ local_path: 'metrics.csv', remote_path: path('work/copy') },
      };
      const access = { kind: 'read', machineId: machine_id, path: path('home/notes.cfg') };
      const [asked] = await accessesOf(tool, input);
      assert.deepEqual(asked, { ...access, linkPath: path('work/metrics.csv') });
      const parsed = tool.parse(input);
      assert.ok(parsed.ok);
      await assert.rejects(tool.execute(parsed.args, toolContext()), {
        message:
          /^Not sent: \S+ leads through a link out of the working folder, to \S+notes\.cfg\. Use/,
      });
      assert.equal(existsSync(path('work/copy')), false);
      await call(tool, input);
      assert.equal(read('work/copy'), 'mine');
      symlinkSync('../home', path('work/results'));
      const below = { ...input, local_path: 'results/notes.cfg' };
      const [askedBelow] = await accessesOf(tool, below);
      assert.deepEqual(askedBelow, { ...access, linkPath: path('work/results/notes.cfg') });
    });

    it('into a .git folder are refused, whatever was approved', async () => {
      const { deps, machine_id } = bed();
      symlinkSync('.git/hooks', path('work/tools'));
      symlinkSync('.git/new', path('work/later'));
      symlinkSync('../home/.git', path('work/far'));
      for (const file of ['tools/pre-commit', 'later', 'later/x', 'far/hooks/x'])
        await assert.rejects(
          call(writeFile(deps), { machine_id, path: file, content: 'x' }),
          {
            message:
              /^Not allowed: \S+\.git\S* is in the internals of a git repository, which no call may write/,
          },
          file,
        );
      const upload = { machine_id, local_path: '.', remote_path: 'tools' };
      await assert.rejects(call(remoteUpload(deps), upload), { message: /internals of a git/ });
      assert.deepEqual(
        ['work/.git/hooks/pre-commit', 'work/.git/new', 'home/.git'].map((file) =>
          existsSync(path(file)),
        ),
        [false, false, false],
      );
    });

    it('do not follow a link that takes the place of a folder after it was judged', async () => {
      bed();
      const machine = machineIn(path('work'));
      const deps = { machines: createMachines([machine]) };
      for (const name of ['writeFile', 'appendFile'] as const) {
        const write = machine[name].bind(machine);
        machine[name] = (...args) => {
          renameSync(path('work/now'), path('work/before'));
          symlinkSync('../home', path('work/now'));
          return write(...args);
        };
      }
      const input = { machine_id: machine.id, path: 'now/notes.cfg' };
      for (const [tool, more] of [
        [writeFile(deps), { content: 'x' }],
        [writeFile(deps), { content: 'x', append: true }],
        [patchFile(deps), { old_string: 'mine', new_string: 'x' }],
      ] as const) {
        rmSync(path('work'), { recursive: true });
        mkdirSync(path('work/now'), { recursive: true });
        writeFileSync(path('work/now/notes.cfg'), 'mine');
        await assert.rejects(call(tool, { ...input, ...more }), { message: /a link took/ });
        assert.equal(read('home/notes.cfg'), 'mine');
      }
    });

    it('keep the path of a working folder that is behind a link itself', async () => {
      mkdirSync(path('disk/work'), { recursive: true });
      symlinkSync('disk', path('home'));
      const machine = machineIn(path('home/work'));
      const tool = writeFile({ machines: createMachines([machine]) });
      const input = { machine_id: machine.id, path: 'a.py', content: 'x' };
      const { content } = await call(tool, input);
      assert.deepEqual(content, { written: path('home/work/a.py'), lines: 1, bytes: 1 });
    });

    it('follow odd names, and refuse what leads nowhere', async () => {
      const { machine } = bed();
      mkdirSync(path("work/it's\n $x"));
      symlinkSync("it's\n $x", path('work/odd\n'));
      symlinkSync('loop', path('work/loop'));
      symlinkSync('none/../.git', path('work/up'));
      assert.equal(await realPath(machine, path('work/odd\n/a\n')), path("work/it's\n $x/a\n"));
      assert.equal(await realPath(machine, '/'), '/');
      assert.equal(await realPath(machine, '/none/x'), '/none/x');
      const refused = { reason: 'denied', message: /^Cannot resolve [^]*\. Use another path\.$/ };
      await assert.rejects(realPath(machine, path('work/loop/x')), refused);
      await assert.rejects(realPath(machine, path('work/up/x')), refused);
    });
  });
}

writesThroughLinks(
  'this computer',
  (workFolder) => new LocalMachine({ runsFolder: '/nowhere/runs', workFolder }),
);

describe('a session that writes through a link', () => {
  let bed: TestEngine | undefined;
  afterEach(() => bed?.dispose());

  for (const answer of ['allow', 'deny'] as const)
    it(`shows the user where it leads, and is told to use that path: ${answer}`, async () => {
      const write = { name: 'write_file', input: { path: 'notes.md', content: 'new' } };
      const quit = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
      const asked: string[] = [];
      bed = await testEngine(new ScriptedModel([[write], [quit]]), {
        approve: ({ detail }) => {
          asked.push(detail);
          return Promise.resolve(answer);
        },
      });
      const target = join(bed.work, '..', `${basename(bed.work)}-target`);
      symlinkSync(target, join(bed.work, 'notes.md'));
      const session = await bed.start();
      await session.ended;
      const note = `${join(bed.work, 'notes.md')} leads through a link out of the working folder, to ${target}.`;
      assert.equal(asked[0]?.split('\n')[0], note);
      const [result] = eventsOf(session, 'tool.finished');
      assert.equal(existsSync(target), answer === 'allow');
      if (answer === 'deny')
        assert.ok(result?.text.endsWith(` ${note} To write there, use that path in the call.`));
      const [decided] = eventsOf(session, 'permission.decided');
      const access = { kind: 'write', machineId: 'local', path: target };
      assert.deepEqual(decided?.accesses, [{ ...access, linkPath: join(bed.work, 'notes.md') }]);
    });
});

describe('over SSH', () => {
  let sshd: TestSshd;
  let connection: SshConnection;
  const owned: SshMachine[] = [];
  before(async () => {
    sshd = await TestSshd.start();
    connection = new SshConnection(sshd.target(), scriptedPrompts());
  });
  after(async () => {
    for (const machine of owned) machine.dispose();
    connection.dispose();
    await sshd.dispose();
  });

  writesThroughLinks('a host', (workFolder) => {
    const machine = new SshMachine({ id: 'gpu1', connection, homeFolder: '/', workFolder });
    owned.push(machine);
    return machine;
  });
});
