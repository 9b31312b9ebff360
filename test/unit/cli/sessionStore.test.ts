import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { isSessionId, newRunId, newSessionId, type SessionId } from '../../../src/base/ids.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { SyntheticJournal } from '../../bench/syntheticJournal.ts';

describe('sessions in the terminal', () => {
  const folder = scratchFolder();
  const helios = async (...argv: string[]): Promise<FakeDeps & { code: number }> => {
    const deps = fakeDeps({ folder: folder() });
    deps.stdout.columns = 200;
    return Object.assign(deps, { code: await runCli(argv, deps) });
  };
  const home = () => homeAt(`${folder()}/home`);

  const metric = {
    metric: 'loss',
    count: 3,
    last: 0.5,
    lastStep: 3,
    min: 0.4,
    max: 2,
    mean: 1,
    best: 0.4,
  } as const;
  /** Two sessions: an older one that is over, and one that its process left. */
  const sessions = async (): Promise<{ older: SessionId; newer: SessionId }> => {
    const older = new SyntheticJournal('bring loss < 0.3 with warmup', Date.UTC(2026, 0, 1));
    const run = older.run();
    older.runEnded(run, [{ ...metric, direction: 'lower' }]);
    older.add({
      type: 'message.added',
      origin: 'person',
      text: 'try the zebra schedule\nand "cosine" too',
    });
    older.add({
      type: 'message.added',
      origin: 'person',
      text: `${'x'.repeat(5_000)} (a|b)*[^c]+$ 🦓 größer`,
    });
    older.add({
      ...{ type: 'tool.finished', callId: 'c9', name: 'read_file', durationMs: 1, isError: false },
      text: '{"content":"a text that goes over\\ntwo lines","metrics":{"steps":1888}}',
    });
    older.add({
      type: 'session.ended',
      reason: 'budget',
      summary: 'The money is spent.',
      evidence: [],
    });
    const newer = new SyntheticJournal('=cmd|calc', Date.UTC(2026, 0, 2));
    newer.run({ label: 'lr=1' });
    newer.talk();
    await older.write(home());
    await newer.write(home());
    return { older: older.sessionId, newer: newer.sessionId };
  };

  it('are listed, the newest first, with how they stand', async () => {
    const { older, newer } = await sessions();
    const { code, stdout } = await helios('sessions');
    assert.equal(code, 0);
    const [header = '', first = '', second = ''] = stdout.text.split('\n');
    assert.match(header, /^n +session +state +best +runs +cost +last +goal$/);
    assert.match(first, new RegExp(`^1 +${newer} +interrupted +1, 1 not followed +.*=cmd\\|calc$`));
    assert.match(
      second,
      new RegExp(`^2 +${older} +Budget used up +loss 0\\.5 +1 +\\$0\\.\\d+ .*warmup$`),
    );
    const limited = await helios('sessions', '-n', '1');
    assert.match(
      limited.stdout.text,
      /1 older session is not shown. List all: helios sessions -n 2\n$/,
    );
  });

  for (const columns of [80, 40])
    it(`are listed with their goals in ${columns} columns`, async () => {
      await sessions();
      const deps = fakeDeps({ folder: folder() });
      deps.stdout.columns = columns;
      assert.equal(await runCli(['sessions'], deps), 0);
      const lines = deps.stdout.text.trimEnd().split('\n');
      assert.ok(lines.every((line) => line.length <= columns));
      assert.ok(lines.includes('   bring loss < 0.3 with warmup'), deps.stdout.text);
    });

  const mistakes: [string[], RegExp][] = [
    [
      ['sessions', '--jsn'],
      /^helios: Unknown option '--jsn'\. Did you mean --json\?\nSee helios sessions --help\.$/m,
    ],
    [['replay', '-x', '1'], /Unknown option '-x'\./],
    [['replay', ''], /The name of the session is empty/],
    [['clean', '--keep', ' '], /The name of the session is empty/],
    [['watch', 'local:1'], /There is no run local:1\./],
    [['kill', 'local:1'], /There is no run local:1\./],
    [['replay', '1', '--from', '9'], /no such turn\.\nIt has 2 turns\.$/m],
    [['export', '--out', ''], /Option '-o, --out <file>' argument '' is invalid/],
  ];
  for (const [argv, expected] of mistakes)
    it(`are not found by ${argv.join(' ')}`, async () => {
      await sessions();
      const { code, stdout, stderr } = await helios(...argv);
      assert.deepEqual([code, stdout.text], [1, '']);
      assert.match(stderr.text, expected);
    });

  it('are listed as JSON', async () => {
    const { older, newer } = await sessions();
    const { stdout } = await helios('sessions', '--json');
    const listed = JSON.parse(stdout.text) as {
      n: number;
      id: string;
      state: string;
      endReason?: string;
    }[];
    assert.deepEqual(
      listed.map(({ n, id, state, endReason }) => [n, id, state, endReason]),
      [
        [1, newer, 'interrupted', undefined],
        [2, older, 'Budget used up', 'budget'],
      ],
    );
  });

  it('are none in a new home', async () => {
    const { code, stdout } = await helios('sessions');
    assert.deepEqual(
      [code, stdout.text],
      [0, 'There is no session yet. Start one with a goal: helios "…"\n'],
    );
    const replay = await helios('replay');
    assert.deepEqual([replay.code, replay.stdout.text], [1, '']);
    assert.match(replay.stderr.text, /There is no session yet/);
  });

  it('are named by number, id, and beginning of the id', async () => {
    const { older } = await sessions();
    for (const reference of ['2', '#2', older, older.slice(0, 11), older.slice(2)]) {
      const { code, stdout } = await helios('replay', reference);
      assert.equal(code, 0, reference);
      assert.match(stdout.text, /warmup/, reference);
    }
    assert.match((await helios('replay', '3')).stderr.text, /There is no session 3/);
    assert.match((await helios('replay', 's-')).stderr.text, /2 sessions begin with s-/);
    assert.match((await helios('replay', '1', '2')).stderr.text, /Too many arguments for 'replay'/);
  });

  it('are told step by step, from a turn to a turn', async () => {
    await sessions();
    const whole = (await helios('replay', '2')).stdout.text;
    for (const part of [
      'Goal: bring loss',
      'Turn 1 · ',
      'the next step is',
      'step 1100 | loss',
      'Run 1: ok',
      'You:',
    ])
      assert.ok(whole.includes(part), part);
    assert.match(whole, /The money is spent\.\n$/);
    const later = (await helios('replay', '1', '--from', '2')).stdout.text;
    assert.doesNotMatch(later, /Turn 1 ·/);
    assert.match(later, /Turn 2 ·/);
    const early = (await helios('replay', '1', '--to', '1')).stdout.text;
    assert.doesNotMatch(early, /Turn 2 ·/);
    assert.match((await helios('replay', '1', '--from', '9')).stderr.text, /no such turn/);
    const raw = (await helios('replay', '1', '--raw')).stdout.text.trim().split('\n');
    assert.equal((JSON.parse(raw[0] ?? '') as { type: string }).type, 'session.started');
  });

  const queries: [string[], string[]][] = [
    [['zebra'], ['message']],
    [['ZEBRA', 'schedule'], ['message']],
    [['"zebra schedule"'], ['message']],
    [['"schedule zebra"'], []],
    [['warmup'], ['goal']],
    [['money', 'spent'], ['end']],
    [['lr=1e-4'], ['run']],
    [['session.ended'], []],
    [['callId'], []],
    [["%'_\\"], []],
    [['x'.repeat(5_000)], ['message']],
    [['x'.repeat(5_001)], []],
    [['(a|b)*[^c]+$'], ['message']],
    [['🦓'], ['message']],
    [['größer'], ['message']],
    [['GRÖSSER'], []],
    [['"over two lines"'], ['result']],
    [['steps', '1888'], ['result']],
  ];
  for (const [words, kinds] of queries) {
    it(`are searched for ${words.join(' ')}`, async () => {
      const { older } = await sessions();
      const { code, stdout } = await helios('search', '--json', ...words);
      const hits = JSON.parse(stdout.text) as { kind: string; sessionId: string; goal: string }[];
      assert.deepEqual(
        hits.map(({ kind }) => kind),
        kinds,
      );
      assert.equal(code, kinds.length > 0 ? 0 : 2);
      for (const { sessionId, goal } of hits)
        assert.deepEqual([sessionId, goal], [older, 'bring loss < 0.3 with warmup']);
    });
  }

  it('show where words were found', async () => {
    const { older } = await sessions();
    const { stdout } = await helios('search', 'cosine', 'zebra');
    const [session, hit] = stdout.text.split('\n');
    assert.equal(session, `${older}  bring loss < 0.3 with warmup`);
    assert.match(
      hit ?? '',
      /^ {2}\d{4}-\d\d-\d\d .* message +try the \[zebra\] schedule and "\[cosine\]" too$/,
    );
    const none = await helios('search', 'nowhere');
    assert.deepEqual([none.code, none.stdout.text], [2, 'No results for “nowhere”.\n']);
    assert.match((await helios('search', ' ')).stderr.text, /nothing to search for/);
  });

  it('show the results of calls as text, not as JSON', async () => {
    await sessions();
    const { stdout } = await helios('search', 'two lines');
    assert.match(
      stdout.text,
      /result +content: a text that goes over \[two\] \[lines\] metrics: steps 1888$/m,
    );
    assert.match(
      (await helios('replay', '2')).stdout.text,
      /\n {4}content:\n {4}a text that goes over\n {4}two lines\n {4}metrics: steps 1888\n/,
    );
  });

  it('cut no character in half', async () => {
    const journal = new SyntheticJournal(`${'🦓'.repeat(60)} needle ${'🦓'.repeat(200)}`);
    await journal.write(home());
    const { stdout } = await helios('search', 'needle');
    assert.ok(stdout.text.isWellFormed());
    const odd = new SyntheticJournal(`x${'🦓'.repeat(60)} pin ${'🦓'.repeat(200)}`);
    await odd.write(home());
    assert.ok((await helios('search', 'pin')).stdout.text.isWellFormed());
  });

  it('are searched where one of them cannot be read, with a word about it', async () => {
    await sessions();
    const lost = newSessionId(Date.UTC(2026, 0, 3));
    await mkdir(home().journalFile(lost), { recursive: true });
    const { code, stdout, stderr } = await helios('search', 'zebra');
    assert.equal(code, 0);
    assert.match(stdout.text, /\[zebra\]/);
    assert.match(
      stderr.text,
      new RegExp(`^helios: Session ${lost} is not searched: its journal cannot be read`),
    );
  });

  it('are exported as CSV that a spreadsheet does not run', async () => {
    const { older, newer } = await sessions();
    const { code, stdout } = await helios('export');
    assert.equal(code, 0);
    const [header, first, second] = stdout.text.split('\r\n');
    assert.match(header ?? '', /^session_id,goal,phase,end_reason,started_at/);
    assert.match(first ?? '', new RegExp(`^${newer},'=cmd\\|calc,`));
    assert.match(
      second ?? '',
      new RegExp(`^${older},bring loss < 0.3 with warmup,ended,budget,2026-01-01T00:00:00`),
    );
    const messages = (await helios('export', '2', '--what', 'messages')).stdout.text;
    assert.ok(messages.includes(',person,,"try the zebra schedule\nand ""cosine"" too"\r\n'));
    const tsv = (await helios('export', '2', '--what', 'messages', '--format', 'tsv')).stdout.text;
    assert.ok(tsv.includes('\tperson\t\ttry the zebra schedule\\nand "cosine" too\n'));
    assert.equal(
      new Set(
        tsv
          .trim()
          .split('\n')
          .map((line) => line.split('\t').length),
      ).size,
      1,
    );
  });

  it('are exported to a file, which is whole or not there, and replaces none', async () => {
    const { older } = await sessions();
    const file = path.join(folder(), 'out.csv');
    const { code, stdout } = await helios('export', '--out', file);
    assert.deepEqual([code, stdout.text], [0, `Wrote ${file}\n`]);
    const text = readFileSync(file, 'utf8');
    assert.equal(text, (await helios('export')).stdout.text);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const again = await helios('export', '-o', file, '--what', 'messages');
    assert.equal(again.code, 1);
    assert.match(again.stderr.text, /out\.csv already exists\.\nChoose another name/);
    assert.equal(readFileSync(file, 'utf8'), text);
    const nowhere = await helios('export', '--out', path.join(folder(), 'none/out.csv'));
    assert.match(nowhere.stderr.text, /Cannot write .*none\/out\.csv: ENOENT/);
    await helios(
      'export',
      older.slice(0, 5),
      '--what',
      'ledger',
      '--format',
      'tsv',
      '--out',
      path.join(folder(), 'x'),
    );
    assert.deepEqual(readdirSync(folder()).sort(), ['home', 'out.csv']);
  });

  it('are exported in a way that strict readers take', async () => {
    const journal = new SyntheticJournal('goal');
    journal.add({ type: 'message.added', origin: 'person', text: 'a\u0000b \u2028 \ud83e c' });
    journal.add({ type: 'message.added', origin: 'person', text: '\n=1+1' });
    await journal.write(home());
    const csv = (await helios('export', '--what', 'messages')).stdout.text;
    assert.ok(csv.includes('ab \u2028 \ufffd c') && csv.includes(`"'\n=1+1"`), csv);
    const json = (await helios('export', '--what', 'messages', '--format', 'json')).stdout.text;
    assert.ok(
      json.includes('a\\u0000b') && json.includes('\ufffd c') && !json.includes('\\ud83e'),
      json,
    );
  });

  it('tell of damage while they are exported', async () => {
    const journal = new SyntheticJournal('goal');
    await journal.write(home());
    appendFileSync(home().journalFile(journal.sessionId), 'no event\n');
    const { code, stderr } = await helios('export', '--what', 'messages');
    assert.equal(code, 0);
    assert.match(
      stderr.text,
      new RegExp(`^Journal of ${journal.sessionId}: line \\d+ is not an event`, 'm'),
    );
  });

  it('are exported as results.tsv, the ledger of one', async () => {
    const { older } = await sessions();
    const { code, stdout } = await helios('export', older, '--what', 'ledger', '--format', 'tsv');
    assert.equal(code, 0);
    const [header, first, ...rest] = stdout.text.split('\n');
    assert.equal(header, 'commit\tloss\tmemory_gb\tstatus\tdescription');
    assert.match(first ?? '', /^0000000\t0\.500000\t\tdiscard\t/);
    assert.deepEqual(rest, ['']);
    const all = await helios('export', '--what', 'ledger', '--format', 'tsv');
    assert.notEqual(all.code, 0);
    assert.match(all.stderr.text, /can hold only one session\.\nName a session/);
  });

  it('are exported as JSON, one or all', async () => {
    const { older, newer } = await sessions();
    const read = async (...argv: string[]): Promise<Record<string, unknown>[]> =>
      JSON.parse((await helios('export', '--format', 'json', ...argv)).stdout.text) as Record<
        string,
        unknown
      >[];
    assert.deepEqual(
      (await read()).map(({ session_id: id }) => id),
      [newer, older],
    );
    const ledger = await read('--what', 'ledger', older);
    assert.deepEqual(
      ledger.map((row) => [
        row['run'],
        row['status'],
        row['metric'],
        row['best'],
        row['is_champion'],
      ]),
      [[1, 'ok', 'loss', 0.4, true]],
    );
    const events = await read('--what', 'events', older);
    assert.equal((events[0]?.['event'] as { type: string }).type, 'session.started');
    assert.deepEqual(await read('--what', 'metrics', older), []);
  });

  it('leave no secret in an export, unless they are asked to', async () => {
    const journal = new SyntheticJournal('use the key');
    const key = `sk-ant-${'a1B2c3D4'.repeat(6)}`;
    journal.add({ type: 'message.added', origin: 'person', text: `the key is ${key} = NaN` });
    await journal.write(home());
    for (const format of ['csv', 'tsv', 'json']) {
      const argv = ['export', '--what', 'messages', '--format', format];
      const { stdout } = await helios(...argv);
      assert.ok(!stdout.text.includes(key) && stdout.text.includes('the key is'), format);
      assert.ok((await helios(...argv, '--raw')).stdout.text.includes(key), format);
    }
  });

  const refusals: [string[], RegExp][] = [
    [['export', '--what', 'runs'], /'runs' is invalid\. Allowed choices are sessions, messages/],
    [['export', '--format', 'xml'], /'xml' is invalid\. Allowed choices are csv/],
    [
      ['sessions', '-n', '0'],
      /'-n, --limit <count>' argument '0' is invalid\. Must be a whole number above 0/,
    ],
    [['sessions', '--all'], /Unknown option '--all'/],
    [['replay', '--speed', 'fast'], /'fast' is invalid\. Must be a number above 0/],
    [['kill', 'local:1'], /There is no run local:1/],
    [['kill', newRunId(1)], /There is no run r-/],
    [['watch', 'local:1'], /There is no run/],
  ];
  for (const [argv, message] of refusals) {
    it(`say what is wrong with: helios ${argv.join(' ').slice(0, 40)}`, async () => {
      const { code, stdout, stderr } = await helios(...argv);
      assert.deepEqual([code, stdout.text], [1, '']);
      assert.match(stderr.text, message);
    });
  }

  it('have ids of their own', async () => {
    const { older, newer } = await sessions();
    assert.ok(isSessionId(older) && isSessionId(newer) && older < newer);
  });
});
