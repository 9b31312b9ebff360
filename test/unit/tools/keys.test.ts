/** Tools and commands meet keys by their real paths, on the machine. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Redactor } from '../../../src/base/secrets/redactor.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { callText } from '../../../src/agent/user/callText.ts';
import { PathRules, usualPaths } from '../../../src/permissions/pathRules.ts';
import { remoteDownload } from '../../../src/tools/machines/remoteDownload.ts';
import { remoteUpload } from '../../../src/tools/machines/remoteUpload.ts';
import { createGate, type Answer } from '../../../src/permissions/gate.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { patchFile } from '../../../src/tools/files/patchFile.ts';
import { readFile } from '../../../src/tools/files/readFile.ts';
import { writeFile as writeTool } from '../../../src/tools/files/writeFile.ts';
import { sweep } from '../../../src/tools/runs/sweep.ts';
import { accessVerdict } from '../../../src/tools/parameters/commandVerdict.ts';
import { remoteExec } from '../../../src/tools/machines/remoteExec.ts';
import { answer, call, localOnly, toolContext } from './machineTools.harness.ts';

const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEA'.repeat(4)}\n-----END OPENSSH PRIVATE KEY-----\n`;
const secret = `sk-proj-${'aB3dE5gH7jK9mN1pQ2rS'.repeat(2)}`;

describe('paths that need care, and tools', () => {
  let folder = '';
  let asked = 0;
  let shown = '';
  beforeEach(async () => {
    asked = 0;
    folder = await mkdtemp(path.join(tmpdir(), 'helios-keys-'));
    await mkdir(path.join(folder, 'home', '.ssh'), { recursive: true });
    await mkdir(path.join(folder, 'work', 'deep'), { recursive: true });
    await writeFile(path.join(folder, 'home', '.ssh', 'work-key'), pem);
    await writeFile(path.join(folder, 'work', 'server.pem'), pem);
    await writeFile(path.join(folder, 'work', '.env'), `LAB_API_KEY=${secret}\nLR=3e-4\n`);
    await symlink('../home/.ssh/work-key', path.join(folder, 'work', 'notes.txt'));
    await symlink('../../home/.ssh', path.join(folder, 'work', 'deep', 'data'));
    await symlink('.env', path.join(folder, 'work', 'values.txt'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const machines = () => localOnly(path.join(folder, 'work'), path.join(folder, 'home'));
  let paths = usualPaths;
  const decide = async (tool: Tool, input: Record<string, unknown>, reply: Answer = 'deny') => {
    const parsed = tool.parse(input);
    assert.ok(parsed.ok);
    const accesses = await tool.accesses(parsed.args);
    const gate = createGate({
      mode: () => 'allow',
      ask: ({ detail }) => {
        asked += 1;
        shown = detail;
        return Promise.resolve(reply);
      },
      clock: new ManualClock(),
      paths,
      judge: (access) => accessVerdict(machines(), access, { rules: paths }),
    });
    return gate.decide(
      {
        callId: 'c',
        tool: tool.spec.name,
        title: '',
        effect: tool.effect,
        accesses,
        isOwnData: false,
        detail: callText({ args: parsed.args, accesses, repairs: [], paths }),
      },
      new AbortController().signal,
    );
  };

  for (const file of ['notes.txt', 'deep/data/work-key'])
    it(`denies read_file of ${file}, which leads to a key`, async () => {
      const tool = readFile({ machines: machines() });
      assert.equal((await decide(tool, { path: file }, 'allow')).isAllowed, false);
      assert.equal(asked, 0);
      await assert.rejects(
        call(tool, { path: file }),
        /a file among private keys, which no call may use/,
      );
    });

  it('refuses to read a private key under any name', async () => {
    const tool = readFile({ machines: machines() });
    await rename(path.join(folder, 'work', 'server.pem'), path.join(folder, 'work', 'a.txt'));
    await assert.rejects(call(tool, { path: 'a.txt' }), /is a private key/);
  });

  for (const file of ['.env', 'values.txt'])
    it(`asks before read_file of ${file}, also in mode allow`, async () => {
      const tool = readFile({ machines: machines() });
      assert.equal((await decide(tool, { path: file })).isAllowed, false);
      assert.equal((await decide(tool, { path: file }, 'allow')).isAllowed, true);
      assert.equal(asked, 2);
      await assert.rejects(
        tool.execute({ machine_id: 'local', path: file, offset: 1, limit: 9 }, toolContext()),
        /each use needs an approval/,
      );
    });

  for (const command of [
    'cat notes.txt',
    'cat no*.txt',
    'base64 server.pem',
    'cat deep/data/work-key',
    'cd deep/data; cat work-key',
    'cp -r deep/data /tmp/x',
  ])
    it(`denies the command ${command}`, async () => {
      const tool = remoteExec({ machines: machines() });
      assert.equal((await decide(tool, { command }, 'allow')).isAllowed, false);
      assert.equal(asked, 0);
    });

  it('asks before a command that reads .env, and not before one that makes such a folder', async () => {
    const tool = remoteExec({ machines: machines() });
    assert.equal((await decide(tool, { command: 'wc -l values.txt' }, 'allow')).isAllowed, true);
    assert.equal(asked, 1);
    assert.match(
      shown,
      /\.env is a file of passwords or tokens, and each use needs an approval\.\n/,
    );
    await mkdir(path.join(folder, 'work', 'deep', '.env'));
    const command = 'cd deep; python3 -m venv .env; ls .env';
    assert.equal((await decide(tool, { command })).isAllowed, false, '.env is in the folder above');
    const other = await decide(
      remoteExec({ machines: localOnly(path.join(folder, 'work', 'deep')) }),
      {
        command: 'ls .env',
      },
    );
    assert.equal(other.isAllowed, true);
  });

  it('denies a sweep whose values lead to a key', async () => {
    const tool = sweep({
      machines: machines(),
      start: () => Promise.reject(new Error('It must not start')),
    });
    for (const file of ['~/.ssh/id_rsa', 'notes.txt']) {
      const input = { command_template: 'cat {f}', params: { f: [file, 'a.txt'] } };
      assert.equal((await decide(tool, input, 'allow')).isAllowed, false, file);
    }
    assert.equal(asked, 0);
  });

  const file = (name: string): string => path.join(folder, name);
  const allows = async (tool: Tool, input: Record<string, unknown>): Promise<boolean> =>
    (await decide(tool, input, 'allow')).isAllowed;

  it('refuses file tools and commands alike what runs code, by the real path', async () => {
    await symlink(file('home'), file('work/up'));
    await writeFile(file('home/plain'), '');
    await symlink(file('home/plain'), file('home/.profile'));
    const deps = { machines: machines() };
    for (const name of ['home/.bashrc', 'work/up/.zshrc', 'home/.profile', 'home/.ssh/rc']) {
      assert.equal(await allows(writeTool(deps), { path: file(name), content: 'x' }), false, name);
      assert.equal(await allows(remoteExec(deps), { command: `echo x >> ${file(name)}` }), false);
    }
    const patch = { path: file('home/.bashrc'), old_string: 'a', new_string: 'b' };
    assert.equal(await allows(patchFile(deps), patch), false);
    assert.equal(asked, 0);
    await assert.rejects(
      call(writeTool(deps), { path: file('home/.bashrc'), content: 'x' }),
      /\.bashrc is a shell profile, which no call may write/,
    );
  });

  it('shows the change of a file that others run, and asks about it each time', async () => {
    await mkdir(file('work/.github/workflows'), { recursive: true });
    await writeFile(file('work/.github/workflows/ci.yml'), 'on: push\njobs: {}\n');
    const deps = { machines: machines() };
    const name = '.github/workflows/ci.yml';
    const patch = { path: name, old_string: 'push', new_string: 'pull_request' };
    assert.equal(await allows(patchFile(deps), patch), true);
    assert.match(shown, /ci\.yml is a file of commands that others run, and each change needs/);
    assert.match(shown, /\nchanges:\n {4}-on: push\n {4}\+on: pull_request\n {5}jobs: \{\}\n/);
    const text = { path: name, content: 'more: 1\n', append: true };
    assert.equal(await allows(writeTool(deps), text), true);
    assert.match(shown, /\n {5}jobs: \{\}\n {4}\+more: 1\n/);
    for (const path of ['x.code-workspace', '.vscode/tasks.json', 'helios.json'])
      assert.equal(await allows(writeTool(deps), { path, content: '{}' }), true);
    assert.equal(await allows(remoteExec(deps), { command: `cp a ${name}` }), true);
    assert.equal(asked, 6);
    assert.equal((await decide(writeTool(deps), text)).isAllowed, false);
  });

  it('protects a home folder of Helios that is elsewhere', async () => {
    paths = new PathRules([file('state')]);
    await mkdir(file('state/auth'), { recursive: true });
    await writeFile(file('state/auth/openai'), 'k');
    const deps = { machines: machines(), paths };
    assert.equal(await allows(readFile(deps), { path: file('state/auth/openai') }), false);
    assert.equal(await allows(readFile(deps), { path: file('state/runs/r/output.log') }), true);
    for (const name of ['state/machines.json', 'state/sessions/s/journal.jsonl'])
      assert.equal(await allows(writeTool(deps), { path: file(name), content: '' }), false, name);
    const code = { path: file('state/worktrees/w/a.py'), content: '' };
    assert.equal(await allows(writeTool(deps), code), true);
    for (const [command, isAllowed] of [
      [`cat ${file('state/auth/openai')}`, false],
      [`grep -r . ${file('state')}`, false],
      [`tee ${file('state/preferences.json')}`, false],
      [`touch ${file('state/worktrees/w/a.py')}`, true],
    ] as const)
      assert.equal(await allows(remoteExec(deps), { command }), isAllowed, command);
    assert.equal(asked, 0);
    paths = usualPaths;
  });

  it('refuses to read a whole folder with keys in it, but not one that could hold some', async () => {
    const deps = { machines: machines() };
    await mkdir(file('home/.config'));
    const search = { command: `grep -rn key ${file('home/.config')}` };
    assert.equal(await allows(remoteExec(deps), search), true);
    assert.equal(asked, 0);
    await mkdir(file('home/.config/gcloud'));
    await mkdir(file('home/.aws'));
    await writeFile(file('home/.aws/credentials'), 'k');
    await symlink(file('home/.aws'), file('work/cloud'));
    for (const command of [
      ...[search.command, `cat ${file('home/.aws')}/cred*`, 'tar cf x.tar cloud'],
      ...['cp -r cloud/ x', 'cd cloud && grep -r key', `rg --hidden key ${file('home')}`],
    ])
      assert.equal(await allows(remoteExec(deps), { command }), false, command);
    const sent = { machine_id: 'local', remote_path: file('work/copy') };
    for (const local_path of [file('home'), file('home/.config'), 'cloud'])
      assert.equal(await allows(remoteUpload(deps), { ...sent, local_path }), false, local_path);
    const fetched = { machine_id: 'local', local_path: 'copy', remote_path: file('home') };
    assert.equal(await allows(remoteDownload(deps), fetched), false);
    assert.equal(asked, 0);
    assert.equal(await allows(remoteExec(deps), { command: 'grep -rn key .' }), false);
    const without = { command: "grep -rn key . --exclude='*.pem'" };
    assert.equal(await allows(remoteExec(deps), without), true);
    await assert.rejects(call(remoteDownload(deps), fetched), /which no call may use/);
  });

  it('leaves out of a transfer what no tool writes', async () => {
    await mkdir(file('work/dots'));
    for (const name of ['.bashrc', 'a.txt']) await writeFile(file(`work/dots/${name}`), 'x');
    const deps = { machines: machines() };
    await call(remoteUpload(deps), {
      ...{ machine_id: 'local', local_path: 'dots', remote_path: file('home') },
    });
    assert.deepEqual(
      [existsSync(file('home/.bashrc')), existsSync(file('home/a.txt'))],
      [false, true],
    );
  });

  it('writes marks and hidden characters back as the file holds them', async () => {
    const text = 'a </untrusted> b\nc \u202e d ‹x\n';
    await writeFile(file('work/m.md'), text);
    const deps = { machines: machines() };
    const patch = { path: 'm.md', old_string: 'a ‹/untrusted> b', new_string: '‹/untrusted> e' };
    await call(patchFile(deps), patch);
    const shown = '‹/untrusted> e\nc \\u202e d \\u0041 ‹untrusted>\n';
    await call(writeTool(deps), { path: 'm.md', content: shown });
    assert.equal(
      readFileSync(file('work/m.md'), 'utf8'),
      '</untrusted> e\nc \u202e d \\u0041 ‹untrusted>\n',
    );
    await call(writeTool(deps), { path: 'new.md', content: '‹/untrusted>' });
    assert.equal(readFileSync(file('work/new.md'), 'utf8'), '‹/untrusted>');
  });

  describe('with labels of secrets', () => {
    const secrets = new Redactor(Buffer.alloc(32, 1));
    const label = secrets.redact(secret);
    const textOf = async (name: string) =>
      String((await answer(readFile({ machines: machines() }), { path: name }))['content']);

    it('writes the value back where the file held it', async () => {
      await writeFile(path.join(folder, 'work', 'a.yaml'), `key: ${secret}\nlr: 1\n`);
      const tool = writeTool({ machines: machines(), secrets });
      await call(tool, { path: 'a.yaml', content: `key: ${label}\nlr: 2\n` });
      assert.equal(await textOf('a.yaml'), `key: ${secret}\nlr: 2`);
    });

    it('patches around the value', async () => {
      await writeFile(path.join(folder, 'work', 'a.yaml'), `key: ${secret}\nlr: 1\n`);
      const tool = patchFile({ machines: machines(), secrets });
      const [old, changed] = [`key: ${label}\nlr: 1`, `lr: 2\nkey: ${label}`];
      await call(tool, { path: 'a.yaml', old_string: old, new_string: changed });
      assert.equal(await textOf('a.yaml'), `lr: 2\nkey: ${secret}`);
    });

    it('refuses a label in a file that did not hold the value, and changes nothing', async () => {
      await writeFile(path.join(folder, 'work', 'b.yaml'), 'lr: 1\n');
      const deps = { machines: machines(), secrets };
      const why =
        /stands for a secret value that is hidden from you, and .*b\.yaml does not contain/;
      await assert.rejects(call(writeTool(deps), { path: 'b.yaml', content: label }), why);
      await assert.rejects(
        call(writeTool(deps), { path: 'deep/b.yaml', content: label }),
        /Not written/,
      );
      const patch = { path: 'b.yaml', old_string: 'lr: 1', new_string: `key: ${label}` };
      await assert.rejects(call(patchFile(deps), patch), why);
      assert.equal(await textOf('b.yaml'), 'lr: 1');
    });
  });
});
