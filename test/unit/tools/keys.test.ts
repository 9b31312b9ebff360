/** Tools and commands meet keys by their real paths, on the machine. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Redactor } from '../../../src/base/secrets/redactor.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
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

describe('keys and tools', () => {
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

  const machines = () => localOnly(path.join(folder, 'work'));
  const decide = async (tool: Tool, input: Record<string, unknown>, reply: Answer = 'deny') => {
    const parsed = tool.parse(input);
    assert.ok(parsed.ok);
    const gate = createGate({
      mode: () => 'allow',
      ask: ({ detail }) => {
        asked += 1;
        shown = detail;
        return Promise.resolve(reply);
      },
      clock: new ManualClock(),
      judge: (access) => accessVerdict(machines(), access),
    });
    return gate.decide(
      {
        callId: 'c',
        tool: tool.spec.name,
        title: '',
        effect: tool.effect,
        accesses: await tool.accesses(parsed.args),
        isOwnData: false,
        detail: '',
      },
      new AbortController().signal,
    );
  };

  for (const file of ['notes.txt', 'deep/data/work-key'])
    it(`denies read_file of ${file}, which leads to a key`, async () => {
      const tool = readFile({ machines: machines() });
      assert.equal((await decide(tool, { path: file }, 'allow')).isAllowed, false);
      assert.equal(asked, 0);
      await assert.rejects(call(tool, { path: file }), /private key, which no call may use/);
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
