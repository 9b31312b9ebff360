import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { UserFacing } from '../../../src/base/errors.ts';
import type { SessionId } from '../../../src/base/ids.ts';
import { declareCommands } from '../../../src/cli/commandTable.ts';
import { MachineFailure } from '../../../src/machines/machine.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { SyntheticJournal } from '../../bench/syntheticJournal.ts';
import { fakeDeps, type FakeDeps, type FakeDepsOptions } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { standIn } from '../../fakes/scriptedMachine.ts';
import { ScriptedModel, type ScriptedReply } from '../../fakes/scriptedModel.ts';

/** Escape codes, control characters of both sets, marks of the direction, and what has no glyph. */
const wild =
  'evil\u001b[31mred\u001b]52;c;ZXZpbA==\u0007\u009b2J\u009d0;t\u009c\u202eabc\u2066\u200b\u00ad\u{e0041}\u0085\u007f\u0008';
/** The same, with all that begins a line or returns to its beginning. */
const wilder = `${wild}\nFORGED\r\nFORGED\rFORGED\u2028FORGED\u2029FORGED`;

class WildModel extends ScriptedModel {
  override models() {
    return super.models().map((model) => ({ ...model, label: wilder }));
  }
}

const call = (name: string, input: object): ScriptedReply => [{ name, input }];
const shell = `'${wild.replaceAll('\u0007', '')}'`;
const script = [
  { text: `${wild}\n`, calls: [{ name: 'read_file', input: { path: `${wilder}.txt` } }] },
  call('memory_write', { path: 'a/b', gist: wilder, content: wilder }),
  call('ask_user', { question: wilder, options: [wilder, 'b'], fallback: wilder }),
  call('remote_exec_background', {
    command: `echo loss=0.5; echo ${shell}; exit 3 # ${wilder}`,
    label: 'evil\u001b[31mred\u009b2J\u202e\u200b\nFORGED\rFORGED',
    metric_names: ['loss'],
  }),
  call('sleep', { reason: wilder, wake_conditions: [{ type: 'process_exit', run: 1 }] }),
  call('finish', { outcome: 'blocked', summary: wild }),
] as const;

/** What Helios itself sends to a terminal: styles, and what `Screen` draws with. */
const own = new RegExp(
  '\\u001b\\[(?:1|2|22|31|32|36|39)m|\\u001b\\[\\?2026[hl]|\\r(?:\\u001b\\[\\d+A)?\\u001b\\[J',
  'g',
);

function assertHarmless(text: string, what: string): void {
  assert.ok(!text.includes('\u001b[31mred'), `${what}: ${JSON.stringify(text)}`);
  const rest = text.replace(own, '');
  const found = /(?![\n\t])[\p{Cc}\p{DI}\p{Zl}\p{Zp}]/u.exec(rest);
  const around = rest.slice(Math.max(0, (found?.index ?? 0) - 80), (found?.index ?? 0) + 20);
  assert.equal(found, null, `${what}: ${JSON.stringify(around)}`);
}

const assertLines = (text: string, what: string): void =>
  assert.doesNotMatch(text.replace(own, ''), /^\s{0,3}FORGED/m, what);

/** Types the line after each question of Helios. */
function answering({ stdin, stdout }: FakeDeps, line: string): void {
  const write = stdout.write.bind(stdout);
  stdout.write = (text) => {
    if (/(?:> |: )$/.test(text)) setImmediate(() => stdin.write(line));
    return write(text);
  };
}

describe('hostile text in the terminal', () => {
  const folder = scratchFolder();
  const world = (options: Partial<FakeDepsOptions> = {}): FakeDeps =>
    fakeDeps({ folder: folder(), isTerminal: true, ...options });

  /** A session with all of it; the user approves each call. */
  async function session(words: readonly string[], isTerminal: boolean): Promise<FakeDeps> {
    const it = world({ isTerminal, model: new WildModel(script) });
    answering(it, 'y\n');
    const code = await runCli(['-P', 'demo', ...words, `${wilder} loss < 0.1`], it);
    assert.equal(code, 2, `${it.stdout.text}${it.stderr.text}`);
    return it;
  }

  const screens: [string, string[], boolean][] = [
    ['live screen', [], true],
    ['plain lines', ['--yes'], false],
    ['JSON lines', ['--yes', '--json'], false],
  ];
  for (const [name, words, isTerminal] of screens)
    it(`is harmless in the ${name}`, async () => {
      const { stdout, stderr } = await session(words, isTerminal);
      assert.match(stdout.text, /evil/);
      if (isTerminal) assert.match(stdout.text, /Approve\?/);
      assertHarmless(stdout.text + stderr.text, name);
      if (!words.includes('--json')) return assertLines(stdout.text, name);
      const [started] = stdout.text.split('\n').map((line) => JSON.parse(line || '{}') as object);
      assert.equal((started as { goal?: string }).goal, `${wilder} loss < 0.1`);
    });

  it('is shown, and not removed, in a question for approval', async () => {
    const it = world();
    answering(it, 'n\n');
    const createEngine: FakeDeps['createEngine'] = async ({ ports }) => {
      const id = 's-000000001abc' as SessionId;
      const request = { sessionId: id, callId: 'c', title: wilder, effect: 'execute' };
      const { signal } = new AbortController();
      assert.equal(await ports.approve?.({ ...request, detail: wilder }, signal), 'deny');
      throw new UserFacing('enough');
    };
    await runCli(['-P', 'demo', 'a goal'], { ...it, createEngine });
    const shown = String.raw`evil\u001b[31mred\u001b]52;c;ZXZpbA==\u0007\u009b2J\u009d0;t\u009c\u202eabc\u2066\u200b\u00ad\udb40\udc41\u0085\u007f\u0008`;
    const [, title, ...detail] = it.stdout.text.split('\n');
    assert.equal(title, `${shown} FORGED FORGED FORGED FORGED FORGED (execute)`);
    assert.deepEqual(detail.slice(0, 2), [shown, 'FORGED']);
  });

  it('is harmless in an answer', async () => {
    const model = new WildModel([call('list_machines', {}), wilder]);
    const it = world({ model });
    assert.equal(await runCli(['-P', 'demo', '-p', wilder], it), 0);
    assert.match(it.stdout.text, /evil/);
    assertHarmless(it.stdout.text + it.stderr.text, 'answer');
  });

  it('is harmless in an error', async () => {
    const failure = { reason: 'auth' as const, message: wilder };
    const model = new ScriptedModel([{ reply: { stop: 'error', content: [], failure } }]);
    for (const words of [['-p'], ['--yes']]) {
      const it = world({ model });
      await runCli(['-P', 'demo', ...words, 'a goal'], it);
      assertHarmless(it.stdout.text + it.stderr.text, words.join(' '));
    }
    const it = world();
    await runCli(['replay', wilder], it);
    assert.match(it.stderr.text, /There is no session evil/);
    assertHarmless(it.stderr.text, 'reference');
  });

  for (const isTerminal of [true, false])
    it(`is harmless in questions of machines, ${isTerminal ? '' : 'not '}in a terminal`, async () => {
      const it = world({ isTerminal });
      answering(it, 'no\n');
      const { signal } = new AbortController();
      const createEngine: FakeDeps['createEngine'] = async ({ ports }) => {
        const key = { host: wilder, fingerprint: wilder, keyType: wilder, note: wilder };
        const host = { address: wilder, fingerprint: wilder };
        const question = { machine: 'gpu1', host, prompt: wilder } as const;
        await ports.askSecret?.({ ...question, kind: 'keyboard' }, signal);
        await ports.confirmHostKey?.({ machine: 'gpu1', ...key }, signal);
        throw new Error(wilder);
      };
      await runCli(['machine', 'test', 'gpu1'], { ...it, createEngine });
      const text = it.stdout.text + it.stderr.text;
      assert.match(text, /gpu1[\s\S]* asks: “evil[\s\S]*the host evil/);
      assertHarmless(text, 'questions');
    });

  /** For each command: the ways to call it, and whether the hostile text is in its output. */
  const commands: Record<string, readonly [string[], boolean][]> = {
    sessions: [
      [['sessions'], true],
      [['sessions', '--json'], true],
    ],
    replay: [
      [['replay'], true],
      [['replay', '--raw'], true],
    ],
    approvals: [
      [['approvals'], false],
      [['approvals', '--json'], false],
      [['approvals', '--revoke', wilder], true],
    ],
    actions: [
      [['actions'], true],
      [['actions', '--json'], true],
    ],
    report: [
      [['report'], true],
      [['report', '--write'], false],
    ],
    init: [[['init'], false]],
    'import runs': [
      [['import'], false],
      [['import', 'runs', 'results.tsv'], true],
    ],
    allow: [
      [['allow', '--show'], true],
      [['allow'], true],
      [['allow', '--revoke'], true],
    ],
    'notify test': [[['notify', 'test'], true]],
    'notify secret': [[['notify', 'secret', '--delete', 'hook'], false]],
    mandate: [[['mandate'], false]],
    undo: [
      [['undo', '1', '--list'], false],
      [['undo', '1', wilder], true],
    ],
    promote: [[['promote', '1'], false]],
    reproduce: [[['reproduce', '1', wilder], true]],
    search: [
      [['search', 'evil'], true],
      [['search', '--json', 'evil'], true],
    ],
    watch: [
      [['watch'], true],
      [['watch', 'RUN'], true],
    ],
    say: [[['say', '1', wilder], false]],
    answer: [[['answer', '1', wilder, wilder], false]],
    pin: [[['pin', '1', wilder], false]],
    rename: [[['rename', '1', wilder], false]],
    tag: [[['tag', 'RUN', wilder], false]],
    annotate: [[['annotate', 'RUN', wilder], false]],
    share: [[['share', '1', '-o', `${wilder}.html`], true]],
    pause: [[['pause', wilder], true]],
    stop: [[['stop', wilder], true]],
    budget: [[['budget', '1', wilder], true]],
    model: [[['model', '1', wilder], false]],
    kill: [[['kill', 'RUN'], false]],
    export: ['sessions', 'messages', 'ledger', 'events'].flatMap((what) =>
      ['csv', 'tsv', 'json'].map((format): [string[], boolean] => [
        ['export', '1', '-w', what, '-f', format],
        true,
      ]),
    ),
    clean: [[['clean', '--max-size', '0.000001MB'], true]],
    doctor: [
      [['doctor'], true],
      [['doctor', '--json'], true],
    ],
    'machine add': [[['machine', 'add', 'gpu2', 'ada@lab'], false]],
    'machine import': [[['machine', 'import', 'lab'], false]],
    'machine test': [
      [['machine', 'test', 'bad'], true],
      [['machine', 'test', 'good'], true],
    ],
    'machine list': [[['machine', 'list'], true]],
    'machine rm': [[['machine', 'rm', 'gpu2'], false]],
    machines: [
      [['machines'], true],
      [['machines', '--json'], true],
    ],
    may: [
      [['may', '--', wilder], true],
      [['may', '--json', '--', wilder], true],
    ],
    models: [
      [['models', '-P', 'demo'], true],
      [['models', '-P', 'demo', '--json'], true],
    ],
    'auth login': [],
    'auth logout': [[['auth', 'logout', 'chatgpt'], false]],
    'auth status': [[['auth', 'status'], false]],
  };

  const leaves = (command: Command, words: readonly string[] = []): string[] =>
    command.commands.length === 0
      ? [words.join(' ')]
      : command.commands.flatMap((each) => leaves(each, [...words, each.name()]));

  it('is tried in every command', () =>
    assert.deepEqual(
      Object.keys(commands).toSorted(),
      leaves(declareCommands({ deps: world(), home: undefined, code: 0 })).toSorted(),
    ));

  it('is harmless in every command, and tables keep their lines', async () => {
    const server = createServer((_request, response) => {
      response.statusCode = 500;
      response.end(wilder);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { stdout } = await session(['--yes', '--json'], false);
    const runId = /"id":"(r-\w+)"/.exec(stdout.text)?.[1] ?? '';
    const home = path.join(folder(), 'home');
    mkdirSync(home, { recursive: true });
    const ssh = { kind: 'ssh', host: 'x' };
    const machines = [
      { id: 'bad', ...ssh },
      { id: 'good', ...ssh },
    ];
    writeFileSync(path.join(home, 'machines.json'), JSON.stringify({ version: 1, machines }));
    const notifications = { channels: [{ type: 'webhook', url: `http://127.0.0.1:${port}` }] };
    writeFileSync(path.join(home, 'preferences.json'), JSON.stringify({ notifications }));
    const channels = [{ type: 'command', command: wilder }];
    const project = { provider: wilder, [wilder]: 1, notifications: { channels } };
    writeFileSync(path.join(folder(), 'helios.json'), JSON.stringify(project), { mode: 0o644 });
    const description = wilder.replace(/\s/g, ' ');
    writeFileSync(
      path.join(folder(), 'results.tsv'),
      `commit\tloss\tstatus\tdescription\nabc\t0.5\tkeep\t${description}\n`,
    );
    const createMachine: FakeDepsOptions['createMachine'] = (entry) =>
      standIn(entry, folder(), () =>
        entry.id === 'bad'
          ? Promise.reject(new MachineFailure('unreachable', wilder))
          : Promise.resolve(wilder),
      );
    try {
      for (const argv of Object.values(commands).flat()) {
        const [words, isPrinted] = argv;
        const it = world({ model: new WildModel([]), createMachine });
        const given = words.map((word) => (word === 'RUN' ? runId : word));
        await runCli(given, it);
        const text = it.stdout.text + it.stderr.text;
        assert.ok(text !== '' && (!isPrinted || text.includes('evil')), `${words[0]}: ${text}`);
        assertHarmless(text, words.join(' '));
        if (!['export', 'reproduce'].includes(words[0] ?? ''))
          assertLines(it.stdout.text, words.join(' '));
      }
    } finally {
      server.close();
    }
  });

  it('stays on one line in the end of a run', async () => {
    const journal = new SyntheticJournal('a goal');
    const run = journal.run();
    const verdict = { kind: 'lost', why: wilder } as const;
    journal.add({ type: 'run.ended', runId: run, verdict, endedMs: journal.atMs, metrics: [] });
    await journal.write(homeAt(path.join(folder(), 'home')));
    const it = world();
    await runCli(['kill', run], it);
    assert.match(it.stdout.text, /lost.*evil/);
    assertHarmless(it.stdout.text, 'kill');
    assertLines(it.stdout.text, 'kill');
  });

  it('is exported unchanged to a program that reads it', async () => {
    await session(['--yes', '--json'], false);
    const it = world({ isTerminal: false });
    assert.equal(await runCli(['export', '-w', 'messages', '-f', 'json'], it), 0);
    const messages = JSON.parse(it.stdout.text) as { text?: string }[];
    assert.ok(messages.some(({ text }) => text?.includes(wilder)));
    assert.match(it.stdout.text, /\u202e/);
  });

  it('keeps what emoji and scripts need', async () => {
    const goal = '👩‍🔬 ✔️ 1️⃣ می‌خواهم größer 漢字 क्‍ष';
    const it = world({
      isTerminal: false,
      model: new ScriptedModel([call('finish', { outcome: 'blocked', summary: goal })]),
    });
    await runCli(['-P', 'demo', '--yes', goal], it);
    assert.ok(it.stdout.text.includes(goal), it.stdout.text);
  });
});
