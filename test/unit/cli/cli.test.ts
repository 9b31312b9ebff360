import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, shownBy, type FakeDeps, type FakeDepsOptions } from '../../fakes/cliDeps.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { ScriptedModel, type ScriptedReply } from '../../fakes/scriptedModel.ts';

const launch = {
  name: 'remote_exec_background',
  input: { machine_id: 'local', command: 'echo loss=0.25', label: 'lr=1' },
};
const sleep = {
  name: 'sleep',
  input: {
    reason: 'the run',
    wake_conditions: [{ type: 'process_exit', machine_id: 'local', run: 1 }],
  },
};
const wait = {
  name: 'sleep',
  input: { reason: 'for long', wake_conditions: [{ type: 'timer', wake_after_seconds: 3600 }] },
};
const blocked = { name: 'finish', input: { outcome: 'blocked', summary: 'No data here.' } };
const met = {
  name: 'finish',
  input: { outcome: 'goal_met', summary: 'It is low.', evidence: [{ run: '1', metric: 'loss' }] },
};
const write = {
  name: 'write_file',
  input: { machine_id: 'local', path: 'note.txt', content: 'hello' },
};

/** Launches, then asks for the end of the run until it has one. */
const toGoal = new ScriptedModel((request) => {
  const text = JSON.stringify(request.messages);
  if (!text.includes('remote_exec_background')) return [launch];
  return text.includes(' ended: ok') ? { text: 'Low enough.', calls: [met] } : [sleep];
});

describe('helios', () => {
  const folder = scratchFolder();
  const world = (options: Partial<FakeDepsOptions> = {}): FakeDeps =>
    fakeDeps({ folder: folder(), ...options });
  const saying = (...replies: ScriptedReply[]): Partial<FakeDepsOptions> => ({
    model: new ScriptedModel(replies),
  });
  const demo = ['-P', 'demo', '--yes'];

  it('ends with 0 when the goal is met, and says where everything is', async () => {
    const it = world({ model: toGoal });
    assert.equal(await runCli([...demo, 'loss below 0.5'], it), 0);
    assert.match(it.stdout.text, /Launched lr=1 · run 1/);
    assert.match(it.stdout.text, /Run 1: ok · lr=1 · .* · loss 0.25/);
    assert.doesNotMatch(it.stdout.text, /Exit code/);
    assert.equal(
      it.stdout.text.match(/^Target reached · loss 0\.25 < 0\.5 \(run 1\)$/gm)?.length,
      1,
    );
    assert.match(it.stdout.text, /Goal met\nIt is low\.\n {2}loss 0.25 < 0.5 \(run 1\)/);
    for (const name of ['Report', 'Journal', 'Metrics']) {
      const place = new RegExp(`^${name} +(.+)$`, 'm').exec(it.stdout.text)?.[1] ?? '';
      assert.ok(existsSync(place), `${name} ${place}`);
    }
    assert.ok(!it.stdout.text.includes('\u001b'), 'no escape sequences where there is no terminal');
  });

  it('writes a report with the measured values', async () => {
    const it = world({ model: toGoal });
    await runCli([...demo, 'loss below 0.5'], it);
    const file = /^Report +(.+)$/m.exec(it.stdout.text)?.[1] ?? '';
    const report = readFileSync(file, 'utf8');
    assert.match(report, /^# loss below 0.5\n\*\*Goal met: loss 0.25 \\< 0.5\*\* · /);
    assert.match(report, /\*\*Met\*\*: loss 0\.25 \\< 0\.5 \(run 1\)/);
    const runs = readFileSync(path.join(path.dirname(file), 'runs.md'), 'utf8');
    assert.match(runs, /\| <a id="run-1"><\/a>1 \*\*champion\*\* \| .*lr=1 \| local \| ok \|/);
  });

  it('ends with 2 without the goal, and says how to go on', async () => {
    const it = world(saying([blocked]));
    assert.equal(await runCli([...demo, 'a goal'], it), 2);
    assert.match(it.stdout.text, /Blocked\nNo data here\./);
    assert.match(
      it.stdout.text,
      /^Exit code 2: the goal is not met, and the agent cannot go on\.$/m,
    );
    assert.match(it.stdout.text, /Resume {3}helios --resume s-/);
  });

  it('ends with 2 when the budget is used up', async () => {
    const it = world({ model: new ScriptedModel(() => [{ name: 'memory_ls', input: {} }]) });
    assert.equal(await runCli([...demo, '--max-turns', '2', 'a goal'], it), 2);
    assert.match(it.stdout.text, /Budget used up/);
    assert.match(it.stdout.text, /^Exit code 2: a limit was reached before the goal\.$/m);
  });

  it('ends with 1 when the model cannot be used', async () => {
    const failure = { reason: 'auth' as const, message: 'The key was refused.' };
    const it = world(saying({ reply: { stop: 'error', content: [], failure } }));
    assert.equal(await runCli([...demo, 'a goal'], it), 1);
    assert.match(it.stdout.text, /The key was refused/);
    assert.match(it.stdout.text, /^Exit code 1: an error stopped the session\.$/m);
  });

  it('writes nothing but events as JSON lines, the end last', async () => {
    const it = world({ model: toGoal });
    assert.equal(await runCli([...demo, '--json', 'loss below 0.5'], it), 0);
    const events = it.stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; at: number; reason?: string });
    assert.ok(events.every(({ type, at }) => typeof type === 'string' && Number.isFinite(at)));
    assert.equal(events[0]?.type, 'session.started');
    assert.equal(events.at(-1)?.type, 'session.ended');
    assert.equal(events.at(-1)?.reason, 'goal');
    assert.equal(events.filter(({ type }) => type === 'run.ended').length, 1);
    assert.ok(existsSync(path.join(folder(), 'home/sessions')));
  });

  it('takes the goal from a pipe', async () => {
    const it = world(saying([blocked]));
    it.stdin.end('loss below 3\n');
    assert.equal(await runCli(demo, it), 2);
    assert.match(it.stdout.text, /^Goal: loss below 3$/m);
    assert.match(it.stdout.text, /^.* · mode (?:ask|mandate|allow) · /m);
  });

  it('stops without waiting on Ctrl+C, and at once on the second', async () => {
    const it = world({ ...saying('hang'), clock: new ManualClock() });
    const done = runCli([...demo, 'a goal'], it);
    await until('it thinks', () => it.stdout.text.includes('Goal:'));
    it.interrupts.fire();
    it.interrupts.fire();
    assert.deepEqual(it.exits, [130]);
    assert.equal(await done, 130);
    assert.match(it.stdout.text, /Stopped/);
    assert.match(it.stdout.text, /^Exit code 130: interrupted\.$/m);
    assert.match(it.stdout.text, /--resume s-/);
  });

  it('goes on with the most recent session, and says to it what was written', async () => {
    const first = world(saying([wait]));
    const done = runCli([...demo, 'a goal'], first);
    await until('it sleeps', () => first.stdout.text.includes('Sleep'));
    first.interrupts.fire();
    assert.equal(await done, 130);
    const model = new ScriptedModel([[blocked]]);
    const second = world({ model });
    assert.equal(await runCli(['--yes', '--continue', 'use lr 0.1'], second), 2);
    assert.match(second.stdout.text, /You: use lr 0.1/);
    assert.match(
      JSON.stringify(model.requests[0]?.messages),
      /Message from the user:\\nuse lr 0.1/,
    );
    assert.equal(
      readdirSync(path.join(folder(), 'home/sessions')).filter((name) => name.startsWith('s-'))
        .length,
      1,
    );
  });

  it('wakes a stopped session with --resume, and leaves a finished one alone', async () => {
    const first = world(saying([blocked]));
    await runCli([...demo, 'loss below 0.5'], first);
    const id = /--resume (s-\w+)/.exec(first.stdout.text)?.[1] ?? '';
    assert.equal(await runCli(['--yes', '-r', '1'], world({ model: toGoal })), 0);
    const third = world({ model: toGoal });
    assert.equal(await runCli(['--yes', '-r', id.slice(0, -3)], third), 1);
    assert.match(third.stderr.text, /The goal of session s-\w+ is met\.\nWrite what to do next/);
  });

  it('attaches files to the goal and to a message, and says which cannot be read', async () => {
    const model = new ScriptedModel([[blocked], [blocked]]);
    const it = world({ model });
    writeFileSync(path.join(it.cwd, 'notes.md'), 'rate 0.1 was best');
    assert.equal(await runCli([...demo, 'go on', '--file', 'notes.md'], it), 2);
    assert.match(
      JSON.stringify(model.requests[0]?.messages),
      /attached notes\.md.*rate 0\.1 was best/,
    );
    const again = world({ model });
    assert.equal(await runCli(['--yes', '-c', '--file', 'notes.md'], again), 2);
    assert.match(JSON.stringify(model.requests[1]?.messages), /See the attached files/);
    const missing = world({ model });
    assert.equal(await runCli([...demo, 'go on', '--file', 'none.md'], missing), 1);
    assert.match(missing.stderr.text, /none\.md cannot be attached: .*no such file/);
  });

  it('asks for the goal in a terminal, and takes no slash word for one', async () => {
    const model = new ScriptedModel([[blocked]]);
    const it = world({ model, isTerminal: true });
    const done = runCli(['-P', 'demo', '--yes'], it);
    await until('it asks', () => it.stdout.text.includes('What is the goal'));
    it.stdin.write('/sessions\n');
    await until('it lists', () =>
      it.stdout.text.includes('Commands of the terminal have no slash'),
    );
    it.stdin.write('bring loss below 0.5\n');
    assert.equal(await done, 2);
    assert.match(JSON.stringify(model.requests[0]?.messages), /bring loss below 0\.5/);
    const ended = world({ model, isTerminal: true });
    ended.stdin.end('\n');
    assert.equal(await runCli(['-P', 'demo', '--yes'], ended), 1);
    assert.match(ended.stderr.text, /There is no goal/);
  });

  it('prints the help for help and /help, also of a command', async () => {
    const helped: [string[], RegExp][] = [
      [['help'], /^Usage: helios \[/],
      [['/help'], /^Usage: helios \[/],
      [['--home', '/x', 'help'], /^Usage: helios \[/],
      [['help', 'report'], /^Usage: helios report \[/],
      [['--home=/x', 'help', 'report'], /^Usage: helios report \[/],
      [['help', 'machine', 'add'], /^Usage: helios machine add \[/],
    ];
    for (const [words, usage] of helped) {
      const it = world({});
      assert.deepEqual([await runCli(words, it), it.stderr.text], [0, '']);
      assert.match(it.stdout.text, usage);
    }
    const slip = world({});
    assert.equal(await runCli(['help', 'reprot'], slip), 1);
    assert.match(slip.stderr.text, /no command “reprot”\. Did you mean helios report\?/);
  });

  it('tells a decision once', async () => {
    const decide = {
      name: 'exp_decide',
      input: { experiment: 'e1', decision: 'keep', why: 'low' },
    };
    const it = world(saying([launch], [sleep], [decide], [blocked]));
    await runCli([...demo, 'loss below 0.1'], it);
    assert.match(it.stdout.text, /^Experiment 1: keep.* · low$/m);
    assert.doesNotMatch(it.stdout.text, /Decided on/);
  });

  it('begins no session with a word that names a command elsewhere, unless it stands after --', async () => {
    const words: readonly (readonly [string, RegExp])[] = [
      ['list', /no command “list”\. Did you mean helios sessions\?/],
      ['ledger', /no command “ledger”\. Did you mean helios report\?\n.*helios -- ledger/],
    ];
    for (const [word, text] of words) {
      const it = world(saying([blocked]));
      assert.equal(await runCli([word], it), 1);
      assert.equal(await runCli([word, ...demo], it), 1);
      assert.match(it.stderr.text, text);
      assert.equal(it.stdout.text, '');
    }
    const meant = world(saying([blocked]));
    assert.equal(await runCli([...demo, '--', 'list'], meant), 2);
    assert.match(meant.stdout.text, /^Goal: list$/m);
    const first = world(saying([blocked]));
    await runCli(['--', 'list'], first);
    assert.doesNotMatch(first.stderr.text, /no command/);
  });

  it('takes a goal that begins with help for a goal', async () => {
    const it = world(saying([blocked]));
    assert.equal(await runCli(['help', 'me', 'lower', 'the', 'loss', ...demo], it), 2);
    assert.match(it.stdout.text, /^Goal: help me lower the loss$/m);
  });

  it('asks nothing in a terminal with --headless, and prints plain lines', async () => {
    const it = world({ ...saying([write], [blocked]), isTerminal: true });
    it.stdin.end();
    assert.equal(await runCli(['-P', 'demo', '--headless', 'a goal'], it), 2);
    assert.doesNotMatch(it.stdout.text, /Approve\?|\u001b/);
    assert.match(
      it.stdout.text,
      /Permission mode mandate instead of ask: nobody can be asked here/,
    );
    assert.equal(readFileSync(path.join(folder(), 'note.txt'), 'utf8').trim(), 'hello');
  });

  it('does not ask for the goal with --headless', async () => {
    const it = world({ isTerminal: true });
    assert.equal(await runCli([...demo, '--headless'], it), 1);
    assert.match(it.stderr.text, /There is no goal\./);
    assert.equal(it.stdout.text, '');
  });

  it('prints one answer, having looked, and keeps the session', async () => {
    const model = new ScriptedModel([
      [{ name: 'list_machines', input: {} }],
      'Warm-up raises the rate slowly.',
    ]);
    const it = world({ model });
    assert.equal(await runCli(['-P', 'demo', '-p', 'what is warm-up?'], it), 0);
    assert.equal(it.stdout.text, 'Warm-up raises the rate slowly.\n');
    const tools = model.requests[0]?.tools.map(({ name }) => name) ?? [];
    assert.ok(tools.includes('read_file') && !tools.includes('remote_exec'));
    const [session = ''] = readdirSync(path.join(folder(), 'home/sessions'));
    const journal = readFileSync(
      path.join(folder(), 'home/sessions', session, 'journal.jsonl'),
      'utf8',
    );
    assert.match(journal, /"profile":"question"/);
    assert.match(journal, /"reason":"answered"/);
  });

  it('fails where a question has no answer', async () => {
    const model = new ScriptedModel(() => [{ name: 'list_machines', input: {} }]);
    const it = world({ model });
    assert.equal(
      await runCli(['-P', 'demo', '--budget-turns', '2', '-p', 'which machine?'], it),
      1,
    );
    assert.equal(it.stdout.text, '');
    assert.match(it.stderr.text, /budget|turns/i);
  });

  const errors: [string, string[], Record<string, string>, RegExp][] = [
    ['there is no goal', ['--yes'], {}, /There is no goal\.\nWrite one: helios/],
    [
      'nobody can be asked',
      ['--mode', 'ask', '-P', 'demo', 'g'],
      {},
      /not a terminal\.\nPass --mode mandate/,
    ],
    [
      'nobody may be asked',
      ['--mode', 'ask', '--headless', '-P', 'demo', 'g'],
      {},
      /it runs with --headless\.\nPass --mode mandate/,
    ],
    [
      'there is no key',
      ['--yes', 'g'],
      {},
      /there is no key\.\nStore a key with helios auth login claude.*ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY.*-P demo/,
    ],
    [
      'the key of the provider is missing',
      ['--yes', '-P', 'openai', 'g'],
      { ANTHROPIC_API_KEY: 'k' },
      /no key for the provider openai/,
    ],
    [
      'a mode of Claude is asked for with another provider',
      ['--yes', '--claude-mode', 'cli', '-P', 'openai', 'g'],
      {},
      /the provider is openai\.\nRemove --claude-mode/,
    ],
    [
      'an endpoint has no address',
      ['--yes', '-P', 'compatible', 'g'],
      {},
      /no endpoint address.*\nSet OPENAI_BASE_URL/,
    ],
    ['there is nothing to continue', ['--yes', '-c'], {}, /There is no session in .* yet/],
    [
      'the session is not there',
      ['--yes', '-r', 's-0mb2k4x9qf3t7ab'],
      {},
      /There is no session yet/,
    ],
    [
      'a goal is a slash word',
      ['--yes', '/memry list'],
      {},
      /There is no command \/memry\.\nCommands of the terminal have no slash: sessions, replay,.* See helios help\./,
    ],
  ];
  for (const [what, argv, env, message] of errors) {
    it(`ends with 1 when ${what}`, async () => {
      const it = world({ env });
      it.stdin.end('');
      assert.equal(await runCli(argv, it), 1);
      assert.match(it.stderr.text, message);
      assert.equal(it.stdout.text, '');
    });
  }

  it('asks in a terminal before a tool writes, and does what is answered', async () => {
    const it = world({ ...saying([write], [write], [blocked]), isTerminal: true });
    const done = runCli(['-P', 'demo', 'a goal'], it);
    await until('it asks', () => it.stdout.text.includes('Approve?'));
    assert.match(it.stdout.text, /note\.txt/);
    it.stdin.write('what\nn\n');
    await until('it asks again', () => it.stdout.text.split('Approve?').length === 4);
    assert.ok(!existsSync(path.join(folder(), 'note.txt')));
    it.stdin.write('y\n');
    assert.equal(await done, 2);
    assert.equal(readFileSync(path.join(folder(), 'note.txt'), 'utf8').trim(), 'hello');
  });

  it('asks one question at a time, each with its own answer', async () => {
    const read = (file: string) => ({ name: 'read_file', input: { path: file } });
    const it = world({ ...saying([read('.env'), read('.netrc')], [blocked]), isTerminal: true });
    for (const file of ['.env', '.netrc']) writeFileSync(path.join(folder(), file), 'A=1\n');
    const done = runCli(['-P', 'demo', 'a goal'], it);
    const questions = (): number => it.stdout.text.split('Approve?').length - 1;
    await until('it asks', () => questions() > 0);
    assert.equal(questions(), 1);
    it.stdin.write('n\n');
    await until('it asks again', () => questions() > 1);
    it.stdin.write('n\n');
    assert.equal(await done, 2);
    assert.equal(questions(), 2);
  });

  it('leaves only its transcript in a terminal', async () => {
    const it = world({ model: toGoal, isTerminal: true });
    assert.equal(await runCli([...demo, 'loss below 0.5'], it), 0);
    const lines = shownBy(it.stdout.text, it.stdout.columns);
    assert.ok(lines.includes('Goal met'));
    assert.ok(lines.includes('Low enough.'), 'streamed text stays');
    assert.equal(lines.filter((line) => line.startsWith('Run 1: ok')).length, 1);
    assert.ok(
      !lines.some((line) => /^turn \d+ · .*(Working|Sleeping)/.test(line)),
      'the live block is gone',
    );
  });
});
