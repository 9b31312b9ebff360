import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../../src/cli/cli.ts';
import { builtInMandate } from '../../../../src/permissions/mandate/mandate.ts';
import { readMandate } from '../../../../src/permissions/mandate/mandateFiles.ts';
import { gatedPart } from '../../../../src/project/gatedPart.ts';
import { fakeDeps } from '../../../fakes/cliDeps.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('a mandate of the user', () => {
  const folder = scratchFolder();
  const at = (...names: string[]): string => path.join(folder(), ...names);
  const write = (name: string, content: unknown): void =>
    writeFileSync(
      at('home', 'mandates', name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  const read = (name = 'work') => readMandate(at('home', 'mandates'), at(name));
  beforeEach(() => {
    mkdirSync(at('home', 'mandates'), { recursive: true });
    mkdirSync(at('work', 'sub'), { recursive: true });
  });

  it('is the built-in one without a file', () => {
    assert.deepEqual(read(), { mandate: builtInMandate });
    assert.deepEqual(readMandate(at('nowhere'), at('work')), { mandate: builtInMandate });
  });

  it('may begin with the mark that editors of Windows write', () => {
    write('a.json', '\ufeff{ "hosts": ["general"] }\r\n');
    assert.deepEqual(read().mandate.hosts, ['general']);
  });

  it('counts for the nearest folder that it names, and for all others without one', () => {
    write('a.json', { hosts: ['general'] });
    write('b.json', { for: [at('work')], hosts: ['work'] });
    write('c.json', { for: [at('work', 'sub'), '/x'], folders: ['.'], hosts: ['sub'] });
    assert.deepEqual(read('other').mandate, { ...builtInMandate, hosts: ['general'] });
    assert.deepEqual(read().mandate.hosts, ['work']);
    const sub = { ...builtInMandate, folders: ['.'], hosts: ['sub'] };
    assert.deepEqual(read('work/sub'), { mandate: sub, file: at('home', 'mandates', 'c.json') });
    symlinkSync(at('work', 'sub'), at('link'));
    assert.deepEqual(read('link').mandate.hosts, ['sub']);
  });

  const bad: readonly (readonly [what: string, content: unknown, why: RegExp])[] = [
    ['is no JSON', '{', /b\.json cannot be used/],
    ['has a field that does not exist', { host: ['x'] }, /Unrecognized key: "host"/],
    ['names a class that does not exist', { commands: ['all'] }, /commands\.0: Invalid option/],
    ['has a text for a list', { folders: '/' }, /folders: Invalid input/],
  ];
  for (const [what, content, why] of bad)
    it(`grants nothing, and says why, if its file ${what}`, () => {
      write('b.json', content);
      const { mandate, problem = '' } = read();
      assert.deepEqual(Object.values(mandate).flat(), []);
      assert.match(problem, /^The mandate grants nothing: .*Correct or remove the file\.$/);
      assert.match(problem, why);
    });

  it('gives way to one that a project proposes only where it is for all folders', () => {
    const proposed = { file: '/w/helios.json', mandate: { hosts: ['proposed'] } };
    const hosts = () => readMandate(at('home', 'mandates'), at('work'), proposed).mandate.hosts;
    assert.deepEqual(hosts(), ['proposed']);
    write('a.json', { hosts: ['general'] });
    assert.deepEqual(hosts(), ['proposed']);
    write('b.json', { for: [at('work')], hosts: ['work'] });
    assert.deepEqual(hosts(), ['work']);
  });

  it('is not hurt by a bad file that is for another folder', () => {
    write('b.json', { for: ['/elsewhere'], host: [] });
    assert.deepEqual(read(), { mandate: builtInMandate });
  });

  it('is proposed by a project only after the user has allowed that content', () => {
    const project = { mandate: { folders: ['/'] } };
    assert.deepEqual(gatedPart(project, false), project);
  });

  describe('and helios mandate', () => {
    const helios = async (...argv: string[]) => {
      const deps = { ...fakeDeps({ folder: folder() }), cwd: at('work') };
      const code = await runCli(argv, deps);
      return { code, out: deps.stdout.text, err: deps.stderr.text };
    };

    it('shows the one in force, and writes a file to edit, once', async () => {
      const { out } = await helios('mandate');
      assert.match(out, /^The built-in mandate\..*\n\{\n {2}"folders"/);
      assert.equal((await helios('mandate', '--init')).code, 0);
      const [name = ''] = readdirSync(at('home', 'mandates'));
      const content = JSON.parse(readFileSync(at('home', 'mandates', name), 'utf8')) as object;
      assert.deepEqual(content, { for: [at('work')], ...builtInMandate });
      assert.match((await helios('mandate')).out, /^\/.*work-[0-9a-f]{8}\.json\n/);
      const again = await helios('mandate', '--init');
      assert.equal(again.code, 1);
      assert.match(again.err, /was not written: .*EEXIST/);
    });

    it('decides for helios may', async () => {
      write('a.json', { commands: ['files'] });
      const said = async (...words: string[]) =>
        (await helios('may', '--mode', 'mandate', '--', ...words)).out;
      assert.match(await said('touch', 'x'), /^run/);
      assert.match(await said('python', 'x.py'), /^refuse .*no commands of the class scripts/);
    });
  });
});
