import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'mocha';
import type { ApprovalAnswer, ApprovalRequest } from '../../../src/agent/contract/ports.ts';
import { callText } from '../../../src/agent/user/callText.ts';
import { askUser } from '../../../src/cli/approvals.ts';
import { Asking } from '../../../src/cli/asking.ts';
import { pagesOf } from '../../../src/cli/screen/pages.ts';
import { rowsOf } from '../../../src/cli/screen/textWidth.ts';
import { FakeOutput } from '../../fakes/cliDeps.ts';
import { hostileCommands, payload } from '../../fakes/hostileCommands.ts';
import { random, seedOf } from '../../fakes/random.ts';
import { everyTool, missingIn, randomCalls } from '../../fakes/randomCalls.ts';
import { sessionId } from '../vscode/states.ts';

const seed = seedOf('CALLS_SEED', 20_261_123);

/** Asks at a terminal of 80 × 24, where the user gives the same answer at each prompt. */
async function ask(
  args: object,
  typed: string,
  more: Pick<ApprovalRequest, 'offer'> = {},
): Promise<{ readonly answer: ApprovalAnswer; readonly text: string; readonly prompts: number }> {
  const stdin = new PassThrough();
  const stdout = new FakeOutput();
  let prompts = 0;
  const write = stdout.write.bind(stdout);
  stdout.write = (text) => {
    if (text.endsWith('> ')) {
      prompts += 1;
      setImmediate(() => stdin.write(`${typed}\n`));
    }
    return write(text);
  };
  const detail = callText({ args, accesses: [], repairs: [] });
  const request = { sessionId, callId: 'c', title: 'Run x', effect: 'execute', detail, ...more };
  const answer = await askUser(request, { stdin, stdout }, new AbortController().signal);
  return { answer, text: stdout.text, prompts };
}

async function eventuallyIn(stdout: FakeOutput, pattern: RegExp): Promise<void> {
  for (let turn = 0; turn < 1000 && !pattern.test(stdout.text); turn += 1)
    await new Promise(setImmediate);
  assert.match(stdout.text, pattern);
}

const scopes = ['session', 'workspace', 'always'] as const;
const offer = { scopes, label: 'pip install', covers: ['pip install … on gpu1 in /w'] };

describe('an approval at the terminal', () => {
  it('offers the scopes of the question, and no other', async () => {
    const args = { command: 'pip install torch' };
    for (const [typed, expected] of [
      ['Y', 'allow'],
      ['s', 'allow_session'],
      ['workspace', 'allow_workspace'],
      ['a', 'allow_always'],
      ['no', 'deny'],
    ] as const)
      assert.equal((await ask(args, typed, { offer })).answer, expected);
    assert.match(
      (await ask(args, 'y', { offer })).text,
      /\nApprove\? y: once, s: `pip install` for this session, w: always in this folder, a: always, n: no > $/,
    );
  });

  it('keeps a line that is no answer for the agent, and takes Ctrl+C for no', async () => {
    const stdin = new PassThrough();
    const stdout = new FakeOutput();
    const asking = new Asking();
    const heard: string[] = [];
    asking.listen((line) => heard.push(line));
    const request = { sessionId, callId: 'c', title: 'Run x', effect: 'execute', detail: 'ls' };
    const { signal } = new AbortController();
    const answer = askUser(request, { stdin, stdout }, signal, asking);
    stdin.write('only short runs please\n/help\n');
    await eventuallyIn(stdout, /press Ctrl\+C for no/);
    assert.match(stdout.text, /> Not an answer\. Answer first; what you typed goes to the agent/);
    assert.deepEqual(heard, []);
    assert.equal(asking.interrupt(), true);
    assert.equal(await answer, 'deny');
    assert.deepEqual(heard, ['only short runs please']);
    assert.equal(asking.interrupt(), false);
  });

  it('is taken only after the whole call was shown', async () => {
    const next = random(seed);
    for (const tool of everyTool())
      for (const { args } of randomCalls(tool, 5, next)) {
        const { answer, text } = await ask(args, 'y');
        assert.equal(answer, 'allow');
        assert.deepEqual(missingIn(withoutPrompts(text), args), [], text);
      }
  });

  for (const [where, command] of Object.entries(hostileCommands))
    it(`is taken only after a payload ${where} was shown`, async () => {
      const { answer, text } = await ask({ command, machine_id: 'gpu1' }, 's', { offer });
      assert.equal(answer, 'allow_session');
      assert.ok(withoutPrompts(text).replaceAll('\n', '').includes(payload));
    });

  it('shows a short call on one page, without its length', async () => {
    const { text } = await ask({ command: 'ls', machine_id: 'gpu1' }, 'y');
    assert.equal(text, '\nRun x (execute)\ncommand: ls\nmachine: gpu1\nApprove? y: once, n: no > ');
  });

  it('shows a long call page by page, with its length, and can be denied on each', async () => {
    const command = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join('\n');
    const { text } = await ask({ command }, 'y');
    const pages = text.split(/Page (?=\d)/);
    assert.match(
      pages[0] ?? '',
      /^\nRun x \(execute\) · question of 718 characters, 61 lines\ncommand:\n/,
    );
    assert.deepEqual(
      pages.slice(1).map((page) => page.split(/(?<=> )/)[0]),
      [1, 2, 3].map((at) => `${at} of 4. Enter: next page, n: no > `),
    );
    const denied = await ask({ command }, 'n');
    assert.deepEqual([denied.answer, denied.prompts], ['deny', 1]);
    assert.ok(!denied.text.includes('echo 59'));
  });

  it('is not asked for when the question was withdrawn while another one was shown', async () => {
    const stdout = new FakeOutput();
    const request = { sessionId, callId: 'c', title: 'Run x', effect: 'execute', detail: 'ls' };
    await assert.rejects(
      askUser(request, { stdin: new PassThrough(), stdout }, AbortSignal.abort()),
      /withdrawn/,
    );
    assert.equal(stdout.text, '');
  });
});

describe('an approval in a real terminal', () => {
  /** Types a text before the question is shown, and another when it is shown. */
  const answered = (early: string, late: string): string => {
    const files = ['inTerminal.py', 'askInTerminal.ts'].map((name) =>
      path.resolve('test/fakes', name),
    );
    const [driver = '', asking = ''] = files;
    const text = execFileSync('python3', [driver, early, late, process.execPath, asking], {
      encoding: 'utf8',
      timeout: 90_000,
    });
    return /ANSWER (\w+)/.exec(text)?.[1] ?? text;
  };

  it('is not given by what was typed before it was shown', () => {
    assert.equal(answered('y\n', 'n\n'), 'deny');
    // A line that was begun before, and whose end would come after.
    assert.equal(answered('y', '\nn\n'), 'deny');
    assert.equal(answered('n\nn', 'y\n'), 'allow');
  }).timeout(300_000);
});

const withoutPrompts = (text: string): string => text.replace(/Page \d+ of \d+\..*> /g, '');

describe('pages', () => {
  it('hold every character, and no more rows than fit', () => {
    const next = random(seed);
    const signs = ['a', 'word ', '\n', '\t', '漢', '👩‍🔬', 'e\u0301', ' '];
    for (let at = 0; at < 300; at += 1) {
      const text = Array.from({ length: 400 }, () => signs[Math.floor(next() * signs.length)]).join(
        '',
      );
      const size = { columns: 2 + Math.floor(next() * 40), rows: 1 + Math.floor(next() * 20) };
      const pages = pagesOf(text, size);
      assert.equal(pages.join('').replaceAll('\n', ''), text.replaceAll('\n', ''));
      for (const page of pages) {
        const rows = page.split('\n').reduce((sum, line) => sum + rowsOf(line, size.columns), 0);
        assert.ok(rows <= size.rows, JSON.stringify([page, size, rows]));
      }
    }
  });
});
