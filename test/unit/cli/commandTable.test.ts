import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import type { CliOptions } from '../../../src/cli/arguments.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { declareCommands, readerOf } from '../../../src/cli/commandTable.ts';
import type { CliDeps } from '../../../src/cli/cliDeps.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const lineOf = (deps: CliDeps) => ({ deps, home: undefined, code: 0 });
const isolated = fakeDeps({ folder: '/nowhere' });
const { commands } = declareCommands(lineOf(isolated));

/** Each with the words that name it. */
const named = (command: Command): [string[], Command][] =>
  command.commands.flatMap((each) => [
    [[each.name()], each] satisfies [string[], Command],
    ...named(each).map(([words, inner]): [string[], Command] => [[each.name(), ...words], inner]),
  ]);
const all = named(declareCommands(lineOf(isolated)));

describe('commands of the terminal', () => {
  const folder = scratchFolder();
  const helios = async (...argv: string[]): Promise<FakeDeps & { code: number }> => {
    const deps = fakeDeps({ folder: folder() });
    deps.stdout.columns = 400;
    return Object.assign(deps, { code: await runCli(argv, deps) });
  };

  it('are all listed by helios --help, each with a line', async () => {
    const { code, stdout } = await helios('--help');
    assert.equal(code, 0);
    assert.equal(new Set(commands.map((command) => command.name())).size, commands.length);
    for (const command of commands) {
      assert.match(stdout.text, new RegExp(`^  ${command.name()} .*\\S`, 'm'));
      assert.ok(
        command.summary() !== '' &&
          stdout.text.replace(/\s+/g, ' ').includes(` ${command.summary()} `),
      );
    }
  });

  it('are listed with their arguments alone, and without a command for help', async () => {
    const { stdout } = await helios('--help');
    assert.match(stdout.text, /^ {2}kill <run> {2,}\S/m);
    assert.match(stdout.text, /^ {2}machine \[command\] {2,}\S/m);
    assert.doesNotMatch((await helios('machine')).stdout.text, /^ {2}help /m);
  });

  for (const [words, command] of all) {
    it(`print help without opening anything: ${words.join(' ')} --help`, async () => {
      const { code, stdout, stderr } = await helios(...words, '--help');
      assert.deepEqual([code, stderr.text], [0, '']);
      assert.ok(stdout.text.startsWith(`Usage: helios ${words.join(' ')} [options]`), stdout.text);
      assert.match(stdout.text, /\n {2}--home <folder> .*\n {2}-h, --help .*\n/);
      const lines = stdout.text.split('\n');
      assert.match(lines[2] ?? '', /^[A-Z]\w+ \S/);
      const shown = [
        ...[...command.options.map(({ flags }) => flags), '-h, --help'],
        ...command.registeredArguments.map((argument) => argument.name()),
        ...command.commands.map((inner) => inner.name()),
      ];
      for (const term of shown) {
        const line = lines.find((each) => each.startsWith(`  ${term} `)) ?? '';
        assert.match(line.slice(term.length + 2), / {2,}\S/, term);
      }
      assert.ok(lines.every((line) => line.length <= 124));
      assert.equal(existsSync(path.join(folder(), 'home')), false);
    });

    it(`refuse what they do not know: ${words.join(' ')} --hom x`, async () => {
      const { code, stdout, stderr } = await helios(...words, '--hom', 'x');
      assert.deepEqual([code, stdout.text], [1, '']);
      const advice = `See helios ${words.join(' ')} --help.`;
      assert.equal(
        stderr.text,
        `helios: Unknown option '--hom'. Did you mean --home?\n${advice}\n`,
      );
    });
  }

  it('are written in the width of a terminal', async () => {
    const deps = fakeDeps({ folder: folder() });
    deps.stdout.columns = 80;
    await runCli(['search', '--help'], deps);
    assert.ok(
      deps.stdout.text.split('\n').every((line) => line.length <= 80),
      deps.stdout.text,
    );
  });

  const bare = ['auth', 'clean', 'kill', 'machine', 'notify', 'promote', 'reproduce', 'search'];
  for (const argv of [
    ...bare.map((name) => [name]),
    ['kill', '--home', '/x'],
    ['--home', '/x', 'machine'],
  ])
    it(`print help where words are missing: helios ${argv.join(' ')}`, async () => {
      const { code, stdout, stderr } = await helios(...argv);
      assert.deepEqual([code, stderr.text], [0, '']);
      assert.match(stdout.text, /^Usage: helios /);
    });

  const homes: [string[], string][] = [
    [['sessions', '--home', '/x'], '/x'],
    [['sessions', '--home=/x'], '/x'],
    [['--home=/x', 'sessions'], '/x'],
    [['--home', '/x', 'sessions'], '/x'],
    [['--home', '/models', 'sessions'], '/models'],
    [['machine', '--home', '/x', 'rm', 'gpu1'], '/x'],
    [['machine', 'rm', '--home', '/x', 'gpu1'], '/x'],
    [['machine', 'rm', 'gpu1', '--home', '/x'], '/x'],
    [['--home', 'kill', 'machine', '--home', 'test', 'rm', 'gpu1'], '/nowhere/test'],
    [['machines'], '/nowhere/home'],
  ];
  for (const [argv, home] of homes)
    it(`take the home folder of: helios ${argv.join(' ')}`, async () => {
      const opened: string[] = [];
      const createEngine: CliDeps['createEngine'] = (options) => {
        opened.push(options.home);
        return Promise.reject(new UserFacing('It is enough to know the home.'));
      };
      assert.equal(await runCli(argv, { ...fakeDeps({ folder: '/nowhere' }), createEngine }), 1);
      assert.deepEqual(opened, [home]);
    });

  const goals: [string[], string | undefined][] = [
    [['train it to loss < 1'], 'train it to loss < 1'],
    [['train', 'it'], 'train it'],
    [['--yes', 'machines are slow'], 'machines are slow'],
    [['--yes', 'reports', 'are', 'slow'], 'reports are slow'],
    [['-p', 'machines'], 'machines'],
    [['-P', 'demo', 'kill', 'it'], 'kill it'],
    [['machines are slow'], 'machines are slow'],
    [['--', 'machines', '--json'], 'machines --json'],
    [['--home', '/x', '--', 'sessions'], 'sessions'],
    [['--home=/x', '-p', 'sessions'], 'sessions'],
    [[], undefined],
    [['not', 'now'], 'not now'],
    [['toString'], 'toString'],
  ];
  for (const [argv, text] of goals)
    it(`leave a goal alone: helios ${argv.join(' | ')}`, async () => {
      const taken: CliOptions[] = [];
      const take = (options: CliOptions): Promise<number> => Promise.resolve(taken.push(options));
      await readerOf(argv, lineOf(isolated), take).parseAsync(argv, { from: 'user' });
      assert.deepEqual(
        taken.map((options) => options.text),
        [text],
      );
    });

  const spellings: [string[], RegExp][] = [
    [['sessions', '-n5', '--json'], /^\[\]$/m],
    [['sessions', '--json', '--limit=5'], /^\[\]$/m],
    [['machine', 'list', '--json'], /"id": "local"/],
    [['machine', '--json', 'list'], /"id": "local"/],
    [['machines', '--json'], /"id": "local"/],
    [['auth', '--json', 'status'], /"provider": "claude"/],
    [['auth', 'logout', 'chatgpt'], /You are not signed in/],
    [['notify', '--delete', 'secret', 'hook'], /Deleted the secret hook/],
    [['notify', 'secret', 'hook', '--delete'], /Deleted the secret hook/],
    [['export', '-w', 'events', '-f', 'json'], /^\[/],
    [['clean', '--older-than', '90d', '--dry-run'], /There is nothing to delete/],
    [['models', '-P', 'demo'], /demo/],
    [['search', '--json', '-n', '3', '--', '--yes'], /^\[\]$/m],
    [['search', '--', '--json'], /No results for “--json”/],
  ];
  for (const [argv, text] of spellings)
    it(`keep their spelling: helios ${argv.join(' ')}`, async () => {
      const { stdout, stderr } = await helios(...argv);
      assert.equal(stderr.text, '');
      assert.match(stdout.text, text);
    });

  const slips: [string, RegExp][] = [
    ['machnie', /helios machine/],
    ['modles', /helios models/],
    ['Models', /helios models/],
    ['auht', /helios auth/],
    ['sya', /helios say/],
    ['hlep', /helios help/],
  ];
  for (const [word, meant] of slips) {
    it(`are suggested for a slip: helios ${word}`, async () => {
      const { code, stderr, stdout } = await helios(word, 'of', 'what');
      assert.deepEqual([code, stdout.text], [1, '']);
      assert.match(stderr.text, meant);
      assert.match(stderr.text, /Write a goal in quotes/);
    });
  }
});
