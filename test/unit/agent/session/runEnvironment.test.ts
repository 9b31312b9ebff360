import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { restoreEnvironment } from '../../../fakes/environment.ts';
import type { EngineSettings } from '../../../../src/agent/contract/settings.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];
const launch = (command: string) => [{ name: 'remote_exec_background', input: { command } }];
const waitFor = (run: number) => [
  { name: 'sleep', input: { reason: 'runs', wake_conditions: [{ type: 'process_exit', run }] } },
];
const wandb = 'Zq8vT3nLw0Rk5yXc';

describe('the environment of the runs of a session', () => {
  const before = { ...process.env };
  let bed: TestEngine | undefined;
  beforeEach(() => {
    for (const name of Object.keys(process.env))
      if (/^AWS_|KEY|TOKEN/.test(name)) delete process.env[name];
    Object.assign(process.env, {
      WANDB_API_KEY: wandb,
      AWS_PROFILE: 'lab',
      LAB_TOKEN: 'lab-token-value',
      OPENAI_API_KEY: 'model-key-value',
    });
  });
  afterEach(async () => {
    restoreEnvironment(before);
    await bed?.dispose();
    bed = undefined;
  });

  async function begin(
    script: readonly ScriptedReply[],
    { settings = {}, machines = [] as readonly object[] } = {} as {
      settings?: Partial<EngineSettings>;
      machines?: readonly object[];
    },
  ) {
    const folder = mkdtempSync(path.join(tmpdir(), 'helios-run-env-'));
    mkdirSync(path.join(folder, 'home'), { mode: 0o700 });
    const file = path.join(folder, 'home', 'machines.json');
    writeFileSync(file, JSON.stringify({ version: 1, machines }), { mode: 0o600 });
    const model = new ScriptedModel(script);
    bed = await testEngine(model, { folder, settings });
    const session = await bed.start();
    await session.ended;
    return { session, model, bed };
  }

  const outputs = (home: string): string =>
    readdirSync(path.join(home, 'runs'))
      .filter((name) => name.startsWith('r-'))
      .map((name) => readFileSync(path.join(home, 'runs', name, 'output.log'), 'utf8'))
      .join('');

  it('is named in the first event and in the prompt, without values', async () => {
    const { session, model } = await begin([quit]);
    const [first] = eventsOf(session, 'session.started');
    assert.deepEqual(first?.runVariables?.toSorted(), ['AWS_PROFILE', 'WANDB_API_KEY']);
    const prompt = JSON.stringify(model.requests[0]);
    assert.match(
      prompt,
      /local: this computer.* · Runs get (WANDB_API_KEY, AWS_PROFILE|AWS_PROFILE, WANDB_API_KEY)/,
    );
    assert.ok(!prompt.includes(wandb));
  });

  it('has the variables that the setting lists and what machines.json sets for local', async () => {
    const { session, bed } = await begin(
      [launch('echo "$WANDB_API_KEY|$LAB_TOKEN|$OPENAI_API_KEY|$FROM|$HOOK"'), waitFor(1), quit],
      {
        settings: { passEnvironment: ['LAB_*', 'OPENAI_API_KEY'] },
        machines: [
          {
            ...{ id: 'local', kind: 'local' },
            env: { FROM: 'entry' },
            prologue: ['HOOK=prologue; export HOOK'],
          },
        ],
      },
    );
    assert.equal(outputs(bed.home), `${wandb}|lab-token-value||entry|prologue\n`);
    const journal = JSON.stringify(session.events());
    assert.ok(!journal.includes('model-key-value'));
    assert.ok(eventsOf(session, 'run.planned').every(({ spec }) => !('WANDB_API_KEY' in spec.env)));
  });

  it('is what a snapshot of the environment records', async () => {
    const bin = mkdtempSync(path.join(tmpdir(), 'helios-python-'));
    writeFileSync(path.join(bin, 'python3'), '#!/bin/sh\necho "9.9.9 $0"\n', { mode: 0o755 });
    const { session } = await begin([[{ name: 'env_snapshot', input: {} }], quit], {
      machines: [{ id: 'local', kind: 'local', prologue: [`PATH=${bin}:$PATH`] }],
    });
    rmSync(bin, { recursive: true });
    const [finished] = eventsOf(session, 'tool.finished');
    assert.match(finished?.text ?? '', /Python 9\.9\.9/);
  });

  it('keeps the git guard first in PATH, whatever the prologue puts there', async () => {
    const bin = mkdtempSync(path.join(tmpdir(), 'helios-git-'));
    writeFileSync(path.join(bin, 'git'), '#!/bin/sh\necho bypassed\n', { mode: 0o755 });
    const find = 'command -v git';
    const { session, bed } = await begin(
      [[{ name: 'remote_exec', input: { command: find } }], launch(find), waitFor(1), quit],
      { machines: [{ id: 'local', kind: 'local', prologue: [`PATH=${bin}:$PATH`] }] },
    );
    rmSync(bin, { recursive: true });
    assert.match(eventsOf(session, 'tool.finished')[0]?.text ?? '', /git-guard-\w+\/git/);
    assert.match(outputs(bed.home), /git-guard-\w+\/git$/m);
  });

  it('says after a failed run which variable was withheld', async () => {
    const { session, model } = await begin([
      launch('echo "set LAB_TOKEN and WANDB_API_KEY"; exit 3'),
      waitFor(1),
      [{ name: 'task_output', input: { run: 1 } }],
      quit,
    ]);
    const [ended] = eventsOf(session, 'run.ended');
    assert.match(
      ended?.withheld ?? '',
      /^LAB_TOKEN is set here, but withheld from commands and runs\./,
    );
    assert.match(ended?.withheld ?? '', /helios\.run\.passEnvironment/);
    const told = model.requests.map((request) => JSON.stringify(request.messages));
    assert.match(told.at(-2) ?? '', /LAB_TOKEN is set here/);
    assert.match(told.at(-1) ?? '', /withheld\\":\\"LAB_TOKEN is set here/);
  });

  it('is redacted: passed variables, and those that machines.json sets', async () => {
    const { bed } = await begin([quit], {
      settings: { passEnvironment: ['LAB_*'] },
      machines: [
        { id: 'local', kind: 'local', env: { MY_API_KEY: 'entry-key-of-local', REGION: 'north' } },
        { id: 'gpu1', kind: 'ssh', host: 'h', env: { THEIR_TOKEN: 'entry-key-of-gpu1' } },
      ],
    });
    const text = `${wandb} lab-token-value entry-key-of-local entry-key-of-gpu1 north lab`;
    const shown = bed.engine.redact(text);
    for (const secret of [wandb, 'lab-token-value', 'entry-key-of-local', 'entry-key-of-gpu1'])
      assert.ok(!shown.includes(secret), secret);
    assert.match(shown, /north lab$/);
  });
});
