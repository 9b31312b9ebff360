import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import type { Section } from '../../../src/cli/doctor/finding.ts';
import { heliosFolder } from '../../../src/experiments/git/gitScript.ts';
import { guardFolder, installGuard, withGuard } from '../../../src/experiments/git/installGuard.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { closeHome, openToOthers } from '../../../src/storage/homeModes.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { testEngine, type TestEngine } from '../../fakes/testEngine.ts';
import { suiteNeeds } from '../../setup/needs.ts';

const modeOf = (file: string): number => lstatSync(file).mode & 0o777;

/** Everything below the folder that its modes open to others. */
const openIn = (folder: string): string[] =>
  ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].filter((name) => {
    const stats = lstatSync(path.join(folder, name));
    return !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
  });

suiteNeeds('posix')('the home folder and other users of the computer', () => {
  const folder = scratchFolder();
  const home = (): string => path.join(folder(), '.helios');
  let umask: number;
  let bed: TestEngine | undefined;
  beforeEach(() => {
    umask = process.umask(0o002);
  });
  afterEach(async () => {
    process.umask(umask);
    await bed?.dispose();
    bed = undefined;
  });
  const write = (name: string, text = 'x'): string => {
    const file = path.join(home(), name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };

  it('stays closed while a session works, whatever the umask', async () => {
    process.umask(0);
    const model = new ScriptedModel([
      [
        { name: 'memory_write', input: { path: '/a/b', gist: 'g', content: 'c' } },
        { name: 'remote_exec', input: { command: 'touch ours; git --version' } },
        { name: 'remote_exec_background', input: { command: 'umask >mask; echo loss=1' } },
      ],
      [{ name: 'sleep', input: { reason: 'r', triggers: [{ type: 'timer', minutes: 0.01 }] } }],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
    ]);
    bed = await testEngine(model, { settings: { idleTurns: 100, report: 'never' } });
    const session = await bed.start();
    await session.ended;
    assert.ok(readdirSync(path.join(bed.home, 'runs')).length > 0);
    assert.ok(readdirSync(bed.home).some((name) => name.startsWith('git-guard-')));
    assert.deepEqual(openIn(bed.home), []);
    // What the agent makes for the user has the modes of the user.
    assert.equal(modeOf(path.join(bed.work, 'ours')), 0o666);
    assert.equal(modeOf(path.join(bed.work, 'mask')), 0o666);
  });

  it('is closed with every file and folder that Helios names in it', async () => {
    process.umask(0);
    const names = Object.entries(homeAt(home())).filter(
      ([name, place]) => typeof place === 'string' && !/^auth|Secrets|^folder$/.test(name),
    );
    for (const [name, place] of names)
      if (name.endsWith('Folder')) mkdirSync(String(place), { recursive: true });
      else write(path.relative(home(), String(place)));
    assert.ok(openIn(home()).length > 10);
    await closeHome(homeAt(home()));
    assert.deepEqual(openIn(home()), []);
  });

  it('is closed at the start where it was open, with its files', async () => {
    write('sessions/s-1/memory/note.md');
    write('runs/r-1/output.log');
    write('machines.json', '{"machines":[]}');
    symlinkSync(path.join(folder(), 'outside'), path.join(home(), 'sessions/link'));
    writeFileSync(path.join(folder(), 'outside'), 'x', { mode: 0o644 });
    chmodSync(write('worktrees/s-1/train.sh'), 0o755);
    chmodSync(write('auth/openai', 'sk'), 0o644);
    await closeHome(homeAt(home()));
    assert.deepEqual(
      openIn(home()).filter((name) => !/^(?:worktrees|auth)\b/.test(name)),
      [],
    );
    assert.deepEqual(await openToOthers(homeAt(home())), []);
    assert.equal(modeOf(home()), 0o700);
    assert.equal(modeOf(path.join(home(), 'worktrees')), 0o700);
    assert.equal(modeOf(path.join(home(), 'worktrees/s-1/train.sh')), 0o755);
    assert.equal(modeOf(path.join(home(), 'auth/openai')), 0o644, 'a key is refused, not closed');
    assert.equal(modeOf(path.join(folder(), 'outside')), 0o644);
  });

  it('leaves what is not of Helios in the folder', async () => {
    const own = write('thesis.tex');
    await closeHome(homeAt(home()));
    assert.equal(modeOf(own), 0o664);
  });

  it('is reported by helios doctor once, and then closed', async () => {
    mkdirSync(path.join(folder(), 'home/sessions'), { recursive: true });
    const found = async () => {
      const deps = fakeDeps({ folder: folder(), env: { ANTHROPIC_API_KEY: 'sk-ant-0123456789' } });
      await runCli(['doctor', '--json'], deps);
      const sections = JSON.parse(deps.stdout.text) as Section[];
      return sections.flatMap(({ findings }) => findings).find(({ name }) => name === 'access');
    };
    const first = await found();
    assert.equal(first?.level, 'warning');
    assert.match(
      first.text,
      /Other users could access .*home and 1 other path\. Helios has removed/,
    );
    assert.equal(modeOf(path.join(folder(), 'home')), 0o700);
    assert.equal((await found())?.level, 'ok');
  });

  it('has a git guard that only its owner can write, and replaces one that others could', async () => {
    const machine = new LocalMachine({
      runsFolder: path.join(home(), 'runs'),
      clock: systemClock,
      workFolder: folder(),
    });
    const guard = guardFolder(machine);
    assert.equal(heliosFolder(machine), home());
    assert.deepEqual(await installGuard(machine), { kind: 'ready', folder: guard });
    assert.deepEqual(openIn(home()), []);
    const sourced = (): string =>
      execFileSync('/bin/sh', ['-c', withGuard(guard, 'ls; git --version')], {
        encoding: 'utf8',
        cwd: folder(),
      });
    chmodSync(path.join(guard, 'env'), 0o664);
    assert.equal((await installGuard(machine)).kind, 'ready');
    assert.deepEqual(openIn(home()), []);
    for (const planted of ['env', 'git', 'ls']) {
      chmodSync(home(), 0o775);
      chmodSync(guard, 0o775);
      writeFileSync(path.join(guard, planted), '#!/bin/sh\necho planted\n');
      chmodSync(path.join(guard, planted), 0o775);
      assert.equal((await installGuard(machine)).kind, 'ready');
      assert.deepEqual(openIn(home()), [], planted);
      assert.doesNotMatch(sourced(), /planted/, planted);
    }
  });
});
