import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { askedCommand, commandList, commandTable } from '../../../src/cli/commandTable.ts';
import { fakeWorld, type FakeWorld } from '../../fakes/cliWorld.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('commands of the terminal', () => {
  const folder = scratchFolder();
  const helios = async (...argv: string[]): Promise<FakeWorld & { code: number }> => {
    const world = fakeWorld({ folder: folder() });
    return Object.assign(world, { code: await runCli(argv, world) });
  };

  it('have names of their own, a line of help and a page of it', () => {
    const names = commandTable.flatMap(({ name, otherNames = [] }) => [name, ...otherNames]);
    assert.equal(new Set(names).size, names.length);
    for (const { name, about, help } of commandTable) {
      assert.match(commandList(), new RegExp(`^  ${name}\\b`, 'm'));
      assert.ok(about.length > 0 && about.length < 110, about);
      assert.match(help(), new RegExp(`^Usage: helios ${name}`), name);
      assert.ok(help().endsWith('\n'), name);
      for (const line of help().split('\n')) assert.ok(line.length <= 124, line);
    }
  });

  it('are all listed by helios --help', async () => {
    const { code, stdout } = await helios('--help');
    assert.equal(code, 0);
    assert.ok(stdout.text.includes(commandList()));
  });

  for (const { name } of commandTable) {
    it(`print help without opening anything: ${name} --help`, async () => {
      const { code, stdout, stderr } = await helios(name, '--help');
      assert.deepEqual([code, stderr.text], [0, '']);
      assert.match(stdout.text, /^Usage: helios /);
      assert.equal(existsSync(path.join(folder(), 'home')), false);
    });
  }

  const homes: [string[], string | undefined][] = [
    [['machines', '--home', '/x'], '/x'],
    [['machines', '--home=/x'], '/x'],
    [['--home=/x', 'machines'], '/x'],
    [['--home', '/x', 'machines'], '/x'],
    [['machines'], undefined],
    [['machines', '--home'], ''],
  ];
  for (const [argv, home] of homes) {
    it(`take the home folder of: helios ${argv.join(' ')}`, () => {
      const asked = askedCommand(argv);
      assert.deepEqual([asked?.command.name, asked?.words, asked?.home], ['machine', [], home]);
    });
  }

  const goals = [
    ['train it to loss < 1'],
    ['train', 'it'],
    ['--yes', 'machines are slow'],
    ['-p', 'machines'],
    ['machines are slow'],
    [],
    ['not', 'now'],
  ];
  for (const argv of goals) {
    it(`leave a goal alone: helios ${argv.join(' | ')}`, () => {
      assert.equal(askedCommand(argv), undefined);
    });
  }

  const slips: [string, RegExp][] = [
    ['machnie', /helios machine/],
    ['modles', /helios models/],
    ['Models', /helios models/],
    ['auht', /helios auth/],
  ];
  for (const [word, meant] of slips) {
    it(`are suggested for a slip: helios ${word}`, async () => {
      assert.throws(() => askedCommand([word]), UserFacing);
      const { code, stderr, stdout } = await helios(word, 'of', 'what');
      assert.deepEqual([code, stdout.text], [1, '']);
      assert.match(stderr.text, meant);
      assert.match(stderr.text, /A goal is written in quotes/);
    });
  }
});
