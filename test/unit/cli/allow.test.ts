import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { programFile } from '../../setup/paths.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const main = programFile('cli');
const notUsed =
  /^Not used until you allow it: notifications in .*helios\.json\. Allow it with helios allow, or in VS Code with “Helios: Allow Project File…”\.$/m;

describe('helios allow', () => {
  const folder = scratchFolder();
  let work: string;
  let mark: string;
  beforeEach(() => {
    work = path.join(folder(), 'work');
    mark = path.join(folder(), 'mark');
    mkdirSync(work, { mode: 0o755 });
  });
  const put = (value: object): void =>
    writeFileSync(path.join(work, 'helios.json'), JSON.stringify(value), { mode: 0o644 });
  const running = (command: string): object => ({
    notifications: { channels: [{ type: 'command', command }], events: ['session_ended'] },
  });

  /** The command as a user starts it. */
  const helios = (...words: string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const env = { ...process.env, HOME: folder(), HELIOS_HOME: path.join(folder(), 'home') };
      execFile(process.execPath, [main, ...words], { cwd: work, env }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      );
    });

  /** A session in this process, with a model that ends it. */
  async function session(...words: string[]): Promise<Ended> {
    const model = new ScriptedModel([
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'No.' } }],
    ]);
    const deps = { ...fakeDeps({ folder: folder(), model }), cwd: work };
    const code = await runCli([...words, '--home', path.join(folder(), 'home')], deps);
    return { code, out: deps.stdout.text, err: deps.stderr.text };
  }
  const start = (): Promise<Ended> => session('-P', 'demo', '--yes', 'bring loss below 1');

  it('is what a command of a repository needs, for each of its contents', async () => {
    put(running(`echo ran > '${mark}'`));
    const before = await helios('notify', 'test');
    assert.equal(before.code, 1);
    assert.match(before.err, notUsed);
    assert.equal(existsSync(mark), false);

    const allowed = await helios('allow');
    assert.equal(allowed.code, 0, allowed.err);
    assert.ok(allowed.out.includes(`- runs at each notification: echo ran > '${mark}'`));
    assert.match(allowed.out, /^Allowed for new and resumed sessions\./m);
    const after = await helios('notify', 'test');
    assert.deepEqual([after.code, after.err], [0, '']);
    assert.equal(existsSync(mark), true);

    rmSync(mark);
    put(running(`echo changed > '${mark}'`));
    assert.match((await helios('notify', 'test')).err, notUsed);
    assert.equal(existsSync(mark), false);
  });

  it('is said in the first lines of a session, and asks nothing', async () => {
    put(running(`echo ran > '${mark}'`));
    const { code, out } = await start();
    assert.equal(code, 2);
    assert.match(out, /^Goal: bring loss below 1\ndemo|^Goal: .*\noffline demo/);
    assert.match(out.split('\n').slice(0, 3).join('\n'), notUsed);
    assert.equal(existsSync(mark), false);
    const resumed = await session('--continue', 'go on', '--yes');
    assert.match(resumed.out.split('\n').slice(0, 2).join('\n'), notUsed);
    await session('allow');
    assert.doesNotMatch((await start()).out, /Not used/);
    assert.equal(existsSync(mark), true);
  });

  it('shows without allowing, and withdraws', async () => {
    put(running(`echo ran > '${mark}'`));
    const shown = await session('allow', '--show');
    assert.match(shown.out, /runs at each notification: echo ran/);
    assert.match(shown.out, /^Not allowed:$/m);
    await start();
    assert.equal(existsSync(mark), false);
    await session('allow', work);
    assert.match((await session('allow', '--show')).out, /^Allowed:$/m);
    const revoked = await session('allow', '--revoke', path.join(work, 'helios.json'));
    assert.match(revoked.out, /^Nothing in the file is allowed any more\.$/m);
    await start();
    assert.equal(existsSync(mark), false);
  });

  it('is not needed for what helios init writes, and needed after a change of it', async () => {
    await session('init', '--provider', 'demo');
    const { out } = await start();
    assert.doesNotMatch(out, /Not used/);
    put({ provider: 'claude' });
    assert.match((await start()).out, /^Not used until you allow it: provider in /m);
  });

  it('says that a file which others can change does not count', async () => {
    put({ instructions: 'Use bf16.' });
    chmodSync(path.join(work, 'helios.json'), 0o666);
    const { out } = await start();
    assert.match(
      out,
      /helios\.json, which can be changed by other users\. Allow it with helios allow/,
    );
    const doctor = await session('doctor');
    assert.match(doctor.out, /which can be changed by other users/);
    assert.match((await session('allow')).out, /can be changed by other users, so nothing of it/);
    assert.doesNotMatch((await start()).out, /Not used/);
  });

  it('is named where only the provider of the file has no need of a key', async () => {
    put({ provider: 'demo' });
    const { code, err } = await session('--yes', 'bring loss below 1');
    assert.equal(code, 1);
    assert.match(
      err,
      /^Not used until you allow it: provider in .*\nhelios: No model is available/,
    );
  });

  it('refuses a channel that can never send, with the reason', async () => {
    for (const channel of [
      { type: 'webhook', url: 'http://127.0.0.1:8000/hook' },
      { type: 'webhook', url: 'https://localhost/x' },
      { type: 'webhook', url: 'https://ada:pw@example.org/x' },
      { type: 'webhook', url: 'https://ntfy.sh/${secret:hook}' },
      { type: 'email', host: '10.0.0.5', from: 'a@b.example', to: 'c@d.example' },
    ]) {
      put({ notifications: { channels: [channel] } });
      const { code, err } = await session('allow');
      assert.equal(code, 1);
      assert.match(
        err,
        /Nothing of \S+helios\.json was allowed: .*(?:private network or on this computer|user name or a password|reference to your secrets)/,
      );
      assert.match((await session('allow', '--show')).out, /^Not allowed:$/m);
    }
    put({ notifications: { channels: [{ type: 'webhook', url: 'https://ntfy.sh/lab' }] } });
    assert.equal((await session('allow')).code, 0);
  });

  it('says where there is nothing to allow', async () => {
    assert.match((await session('allow')).err, /No helios\.json applies to /);
    put({ instructions: 'Use bf16.' });
    const { code, out } = await session('allow');
    assert.equal(code, 0);
    assert.match(out, /Nothing in it needs to be allowed\./);
    assert.doesNotMatch(out, /^Allowed/m);
  });

  it('is said on stderr where only an answer is printed', async () => {
    put(running(`echo ran > '${mark}'`));
    const { out, err } = await session('-P', 'demo', '--print', 'what is it?');
    assert.match(err, notUsed);
    assert.doesNotMatch(out, /Not used/);
  });
});
