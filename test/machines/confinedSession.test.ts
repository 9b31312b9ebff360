import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { actionsText } from '../../src/presentation/sessions/actionsText.ts';
import { ScriptedModel, type ScriptedCall } from '../fakes/scriptedModel.ts';
import {
  eventsOf,
  testEngine,
  type TestEngine,
  type TestEngineOptions,
} from '../fakes/testEngine.ts';

const planted = `/opt/planted-${process.pid}`;
const quit: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
const untilRun: ScriptedCall = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }], deadline_minutes: 60 },
};
const exec = (command: string): ScriptedCall => ({ name: 'remote_exec', input: { command } });

describe('a session whose commands are confined', function () {
  this.timeout(60_000);
  const beds: TestEngine[] = [];
  const { HOME } = process.env;
  let userHome = '';
  // Granted folders of the home folder are created.
  beforeEach(() => {
    userHome = mkdtempSync(join(tmpdir(), 'helios-user-'));
    process.env['HOME'] = userHome;
  });
  afterEach(async () => {
    process.env['HOME'] = HOME;
    for (const bed of beds.splice(0)) await bed.dispose();
    for (const path of [planted, userHome]) rmSync(path, { recursive: true, force: true });
  });

  async function told(
    calls: readonly ScriptedCall[],
    settings: TestEngineOptions['settings'] = { confinement: 'always' },
    prepare?: (bed: TestEngine) => void,
    asked: string[] = [],
  ) {
    const bed = await testEngine(new ScriptedModel((_request, index) => [calls[index] ?? quit]), {
      settings: { report: 'never', ...settings },
      approve: ({ detail }) => {
        asked.push(detail);
        return Promise.resolve('deny');
      },
    });
    beds.push(bed);
    prepare?.(bed);
    const session = await bed.start();
    await session.ended;
    return { bed, session, texts: eventsOf(session, 'tool.finished').map(({ text }) => text) };
  }

  it('says of a check of the goal that the confinement did not start it', async () => {
    const evidence = [{ runs: '1', metric: 'loss' }];
    const finish = { outcome: 'goal_met', summary: 'ok', evidence, checks: ['python3 check.py'] };
    const input = { command: 'sh train.sh', metric_names: ['loss'] };
    const { session, texts } = await told(
      [{ name: 'remote_exec_background', input }, untilRun, { name: 'finish', input: finish }],
      undefined,
      ({ work }) => writeFileSync(join(work, 'train.sh'), 'echo loss=0.5; ln -s nowhere .git\n'),
    );
    assert.match(
      texts[2] ?? '',
      /^Not ended: python3 check\.py could not be started on local: <untrusted from="local">\S*\.git is a link<.untrusted>\. It has not failed: call finish again\. /,
    );
    assert.equal(eventsOf(session, 'check.ended')[0]?.outcome, 'not_started');
  });

  it('says so, runs commands and runs confined, and explains what was refused', async () => {
    const { bed, session, texts } = await told([
      { name: 'list_machines', input: {} },
      exec(`echo a >inside && echo a >${planted}`),
      exec('kill -TERM $$'),
      {
        name: 'remote_exec_background',
        input: {
          command: `cp /bin/true ${planted}; echo loss=1; exit 3`,
          metric_names: ['loss'],
          log_path: planted,
        },
      },
      untilRun,
    ]);
    const [machines = '', command = '', signalled = '', launched = ''] = texts;
    assert.match(machines, /"confined":"bubblewrap, network on"/);
    assert.match(
      command,
      /"exit_code":1,"withheld":"\/opt\/planted-\d+ could not be changed: .*grant \/opt under confinement\.writable of local/,
    );
    assert.ok(existsSync(join(bed.work, 'inside')));
    assert.match(signalled, /"signal":"TERM"/);
    assert.match(launched, /"confined":"bubblewrap, network on"/);
    assert.match(launched, /link to the log could not be created/);
    assert.ok(!existsSync(planted));
    const [end] = eventsOf(session, 'run.ended');
    assert.deepEqual(end?.verdict, { kind: 'failed', code: 3 });
    assert.match(end.withheld ?? '', /could not be changed/);
    assert.deepEqual(
      end.metrics.map(({ metric, last }) => [metric, last]),
      [['loss', 1]],
    );
  });

  it('is confined by itself in the mode mandate, and not in others', async () => {
    const calls = [{ name: 'list_machines', input: {} }];
    for (const [permissionMode, confined] of [
      ['mandate', 'bubblewrap, network for listed hosts only'],
      ['allow', undefined],
    ] as const) {
      const { session, texts } = await told(calls, { permissionMode });
      assert.match(texts[0] ?? '', new RegExp(`"confined":"${confined ?? 'no'}"`));
      assert.equal(eventsOf(session, 'session.started')[0]?.confined, confined);
    }
  });

  it('grants what the mandate grants, but neither the folders of runs nor /tmp', async () => {
    const folder = join(userHome, '.cache', 'kagglehub', `helios-${process.pid}`);
    const stray = `/tmp/helios-stray-${process.pid}`;
    const script = `mkdir -p ${folder} ${stray}\necho x >../home/runs/planted\necho loss=1\n`;
    const input = { command: 'bash train.sh', metric_names: ['loss'] };
    const { bed, session, texts } = await told(
      [{ name: 'remote_exec_background', input }, untilRun],
      { permissionMode: 'mandate' },
      ({ work }) => writeFileSync(join(work, 'train.sh'), script),
    );
    assert.deepEqual(eventsOf(session, 'run.ended')[0]?.verdict, { kind: 'ok' }, texts[0]);
    assert.ok(existsSync(folder));
    assert.ok(!existsSync(stray));
    assert.ok(!existsSync(join(bed.home, 'runs', 'planted')));
  });

  it('runs unconfined in the mode mandate where bubblewrap does not start, and says so', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      const calls = [{ name: 'list_machines', input: {} }];
      const { session, texts } = await told(calls, { permissionMode: 'mandate' });
      const why = 'no, because bubblewrap (bwrap) is not installed on this machine';
      assert.ok(texts[0]?.includes(`"confined":"${why}"`), texts[0]);
      assert.equal(eventsOf(session, 'session.started')[0]?.confined, why);
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('reaches the hosts of the mandate only, and says which were refused and contacted', async () => {
    const server = createServer((_request, response) => response.end('answer'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
    const address = server.address();
    const host = `127.0.0.2:${typeof address === 'object' ? address?.port : 0}`;
    const script = `import urllib.request as u
print(u.urlopen("http://${host}/").read().decode())
for _ in range(2):
  try: u.urlopen("https://evil.org/")
  except Exception as error: print(error)
print("loss=1")
`;
    const input = { command: 'python3 ask.py', metric_names: ['loss'] };
    const { bed, session, texts } = await told(
      [
        exec('python3 ask.py'),
        { name: 'remote_exec_background', input },
        untilRun,
        { name: 'task_output', input: { run: 1 } },
      ],
      { permissionMode: 'mandate' },
      ({ work, home }) => {
        writeFileSync(join(work, 'ask.py'), script);
        mkdirSync(join(home, 'mandates'), { recursive: true });
        writeFileSync(join(home, 'mandates', 'own.json'), JSON.stringify({ hosts: [host] }));
      },
    );
    server.close();
    const note = `The confinement refused connections to evil.org. The user can add them to hosts in ${join(bed.home, 'mandates', 'own.json')}.`;
    assert.ok(texts[0]?.includes('"exit_code":0') && texts[0].includes(note), texts[0]);
    assert.match(texts[0] ?? '', /answer\\n.*403 Helios: evil\.org is not on the list of hosts/);
    const [end] = eventsOf(session, 'run.ended');
    assert.equal(end?.withheld, note);
    assert.ok(texts[3]?.includes(note), texts[3]);
    const { text } = actionsText(await bed.engine.sessions.actions(session.id));
    assert.equal(
      text.match(new RegExp(`${host}(?:, \\d+ B sent, \\d+ B received)?$`, 'gm'))?.length,
      2,
      text,
    );
    assert.equal(text.match(/evil\.org, refused: not on the list of hosts/g)?.length, 2, text);
  });

  it('has no network where python3 is missing, and says so', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = userHome;
    symlinkSync('/usr/bin/bwrap', join(userHome, 'bwrap'));
    try {
      const { texts } = await told(
        [{ name: 'list_machines', input: {} }, exec('/bin/sh ask.sh')],
        { permissionMode: 'mandate' },
        ({ work }) => writeFileSync(join(work, 'ask.sh'), 'echo EAI_AGAIN; exit 1'),
      );
      assert.match(
        texts[0] ?? '',
        /network off, because python3, .* is not installed on this machine/,
      );
      assert.match(texts[1] ?? '', /confined without network, because python3.*machines\.json/);
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('evaluates commands of a sleep and programs of an environment confined', async () => {
    const { bed, texts } = await told(
      [
        {
          name: 'sleep',
          input: {
            reason: 'r',
            wake_conditions: [
              {
                ...{ type: 'metric', machine_id: 'local', comparator: '>', threshold: 0 },
                source: { type: 'command', command: `touch ${planted} inside; echo 1` },
              },
            ],
            deadline_minutes: 60,
          },
        },
        { name: 'env_snapshot', input: { python: './python' } },
      ],
      undefined,
      ({ work }) => {
        writeFileSync(join(work, 'python'), `#!/bin/sh\ntouch ${planted} "\${0%/*}/asked"\n`, {
          mode: 0o755,
        });
      },
    );
    assert.ok(!existsSync(planted), texts.join('\n'));
    for (const name of ['inside', 'asked']) assert.ok(existsSync(join(bed.work, name)), name);
  });

  it('refuses what it would refuse anyway before the user is asked', async () => {
    const asked: string[] = [];
    const { bed, texts } = await told(
      [
        exec(`cp a ${planted}`),
        exec('ls >out; cp out /tmp/out && cp out other'),
        exec(`python3 -c 'print(1)' >${planted}`),
      ],
      { confinement: 'always', permissionMode: 'ask' },
      undefined,
      asked,
    );
    const { work } = bed;
    assert.equal(
      texts[0],
      `Not allowed: commands on local are confined and cannot change ${planted}. Write below ${work}, or the user can grant more under confinement.writable of local in machines.json.`,
    );
    assert.match(texts[2] ?? '', /are confined and cannot change/);
    assert.equal(asked.length, 1, asked.join('\n'));
  });

  it('runs nothing where commands must be confined and cannot be', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      const { session, texts } = await told([
        exec('echo ran >ran'),
        { name: 'remote_exec_background', input: { command: 'echo ran >ran' } },
        { name: 'list_machines', input: {} },
      ]);
      assert.match(texts.pop() ?? '', /"confined":"no, because .*; nothing is run there"/);
      for (const text of texts)
        assert.match(
          text,
          /must be confined, and cannot be there: bubblewrap \(bwrap\) is not installed on this machine\. /,
        );
      assert.equal(session.state.runs.size, 0);
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('confines commands of a machine whose entry requires it, as the entry says', async () => {
    const { bed, texts } = await told(
      [exec('echo a >../granted/a; getent hosts helios.invalid || echo EAI_AGAIN; false')],
      {},
      ({ home, work }) => {
        const confinement = {
          required: true,
          network: 'none',
          writable: [join(work, '..', 'granted')],
        };
        const machines = [{ id: 'local', kind: 'local', confinement }];
        writeFileSync(join(home, 'machines.json'), JSON.stringify({ version: 1, machines }));
      },
    );
    assert.match(
      texts[0] ?? '',
      /confined without network.* allow it under confinement\.network of local/,
    );
    assert.ok(existsSync(join(bed.work, '..', 'granted', 'a')));
  });
});
