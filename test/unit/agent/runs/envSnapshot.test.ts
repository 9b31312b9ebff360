import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ApprovalRequest } from '../../../../src/agent/contract/ports.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { actionsText } from '../../../../src/presentation/sessions/actionsText.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const snapshot = (input: Record<string, unknown> = {}) => ({ name: 'env_snapshot', input });
const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const exec = (command: string, cwd?: string) => ({
  name: 'remote_exec',
  input: { command, ...(cwd && { cwd }) },
});
const launch = (cwd?: string) => ({
  name: 'remote_exec_background',
  input: { command: 'echo loss=1', label: cwd ?? 'here', ...(cwd && { cwd }) },
});

describe('env_snapshot', () => {
  let bed: TestEngine | undefined;
  let work = '';
  afterEach(async () => {
    for (const one of bed?.engine.runs.all() ?? [])
      await until(() => one.liveness.kind === 'ended');
    await bed?.dispose();
    bed = undefined;
  });
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: work, encoding: 'utf8' });
  const begin = async (replies: ScriptedReply[]): Promise<Session> => {
    bed = await testEngine(new ScriptedModel(replies));
    work = bed.work;
    const session = await bed.start();
    return session;
  };
  const answers = (session: Session): Record<string, unknown>[] =>
    eventsOf(session, 'tool.finished')
      .filter(({ name }) => name === 'env_snapshot')
      .map(({ text, isError }) => {
        assert.equal(isError, false, text);
        return JSON.parse(text) as Record<string, unknown>;
      });

  /**
   * A repository with a change that is not committed, and an environment with packages from
   * everywhere.
   */
  const prepare = `
    git init -q -b main . && git config user.email a@b.c && git config user.name a
    echo one > train.py && git add . && git commit -qm first
    git remote add origin https://ada:${token}@git.lab/repo.git
    echo two >> train.py; printf '\\0\\1' > new.bin
    mkdir -p .venv/bin && cat > .venv/bin/python <<'END'
#!/bin/sh
case "$*" in
  *pip*freeze*) cat "$(dirname "$0")/packages" ;;
  *) echo "3.12.3 $0" ;;
esac
END
    chmod +x .venv/bin/python; echo '*' > .venv/.gitignore
    printf '%s\\n' numpy==2.1.0 'lab @ git+https://${token}@git.lab/lab.git@abc' '-e git+ssh://git@git.lab/mine.git#egg=mine' > .venv/bin/packages`;

  it('records packages, system and code once for the runs that follow, without secrets', async () => {
    const session = await begin([
      [exec(prepare)],
      [snapshot({ name: 'base' })],
      [exec('mkdir -p sub'), launch(), launch('sub'), launch('/tmp')],
      quit,
    ]);
    await session.ended;
    const [answer] = answers(session);
    const journal = await readFile(path.join(session.folder, 'journal.jsonl'), 'utf8');
    const snapshots = path.join(session.folder, 'snapshots');
    const kept = await readFile(path.join(snapshots, 'env1.json'), 'utf8');
    const { environment } = JSON.parse(kept) as { environment: Record<string, unknown> };
    assert.deepEqual(environment.packages, [
      'numpy==2.1.0',
      'lab @ git+https://***@git.lab/lab.git@abc',
      '-e git+ssh://git@git.lab/mine.git#egg=mine',
    ]);
    const head = git('rev-parse', 'HEAD').trim();
    assert.deepEqual(environment.git, {
      ...{ head, branch: 'main', changed: [' M train.py'], untracked: ['new.bin'] },
      remotes: ['origin\thttps://***@git.lab/repo.git'],
    });
    assert.match(String(environment.python), /^3\.12\.3 .*\.venv\/bin\/python$/);
    for (const key of ['os', 'cpu', 'memory', 'disk'])
      assert.notEqual(environment[key] ?? '', '', key);
    const diff = await readFile(path.join(snapshots, 'env1.diff'));
    assert.equal(diff.toString(), git('diff', 'HEAD', '--binary', '--no-color'));
    assert.equal(answer?.diff_sha256, createHash('sha256').update(diff).digest('hex'));
    assert.equal((await stat(path.join(snapshots, 'env1.diff'))).mode & 0o777, 0o600);
    // The one that the command itself named stays in its own record.
    assert.equal(kept.includes(token), false);
    const said = journal
      .split('\n')
      .filter((line) => line.includes(token) && !/remote_exec|permission\.decided/.test(line));
    assert.deepEqual(said, []);
    const { text: did } = actionsText(await bed!.engine.sessions.actions(session.id));
    assert.doesNotMatch(did, /local · local/);
    const taken = eventsOf(session, 'tool.finished').find(({ name }) => name === 'env_snapshot');
    assert.match(taken?.summary ?? '', /^Python 3\.12\.3 · numpy 2\.1\.0 · /);
    const note = await session.memory.read('/snapshots/base');
    assert.match(
      note?.gist ?? '',
      /^local · Python 3\.12\.3 · numpy 2\.1\.0 · 3 packages · .* \+ 1 changed file$/,
    );
    assert.match(note?.content ?? '', /numpy==2\.1\.0/);
    assert.deepEqual(
      session.ledger.rows.map(({ number, envId }) => [number, envId]),
      [
        [1, 'env1'],
        [2, 'env1'],
        [3, 'env1'],
      ],
    );
  });

  it('says what has changed since the last one, also after a restart', async () => {
    const first = await begin([[exec(prepare)], [snapshot(), snapshot()], quit]);
    await first.ended;
    assert.equal(answers(first)[0]?.since_before, undefined);
    assert.equal(answers(first)[1]?.since_before, 'nothing has changed');
    await appendFile(path.join(work, '.venv/bin/packages'), 'torch==2.6.0\n');
    await writeFile(path.join(work, 'train.py'), 'three\n');
    await writeFile(path.join(work, 'other.txt'), '');
    bed = await bed!.restart(new ScriptedModel([[snapshot()], quit]));
    const second = await bed.engine.sessions.resume(first.id);
    await second.say('again');
    await second.ended;
    assert.deepEqual(String(answers(second)[2]?.since_before).split('\n'), [
      '<untrusted from="environment of local">',
      '+ package torch==2.6.0',
      '+ untracked file other.txt',
      'the uncommitted changes are different',
      '</untrusted>',
    ]);
  });

  it('makes do with what there is, and says when the folder is not there', async () => {
    const session = await begin([[exec('mkdir -p bare bin')], 'hang']);
    await until(() => eventsOf(session, 'tool.finished').length === 1);
    await session.stop();
    await mkdir(path.join(work, 'bin'), { recursive: true });
    await writeFile(path.join(work, 'bin/python'), '#!/bin/sh\nexit 1\n');
    await chmod(path.join(work, 'bin/python'), 0o755);
    const python = path.join(work, 'bin/python');
    bed = await bed!.restart(
      new ScriptedModel([
        [snapshot({ repo_path: 'bare', python }), snapshot({ repo_path: 'nowhere' })],
        quit,
      ]),
    );
    const again = await bed.engine.sessions.resume(session.id);
    await again.say('go on');
    await again.ended;
    const [bare, nowhere] = eventsOf(again, 'tool.finished').filter(
      ({ name }) => name === 'env_snapshot',
    );
    const said = JSON.parse(bare?.text ?? '{}') as Record<string, unknown>;
    assert.deepEqual([said.python, said.packages, said.git], [undefined, 0, undefined]);
    assert.match(String(said.gist), /no Python · 0 packages/);
    assert.equal(nowhere?.isError, true);
    assert.match(nowhere?.text ?? '', /Check repo_path \(.*nowhere\)/);
  });

  it('asks with the names of the programs that it would start', async () => {
    const asked: ApprovalRequest[] = [];
    bed = await testEngine(new ScriptedModel([[snapshot()], quit]), {
      settings: { permissionMode: 'ask' },
      approve(request) {
        asked.push(request);
        return Promise.resolve('allow');
      },
    });
    const session = await bed.start();
    await session.ended;
    const [request] = asked;
    assert.match(request?.title ?? '', /environment of local with \/.*python.* and \/.*git$/);
    assert.match(request?.detail ?? '', /^Runs \/.*python.*\. Runs \/.*git\.\nmachine: /);
    assert.equal(answers(session).length, 1);
  });
});
