import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { remoteExecBackground } from '../../../src/tools/runs/remoteExecBackground.ts';
import { sweep } from '../../../src/tools/runs/sweep.ts';
import { noSweeps, useTasks } from './taskTools.harness.ts';

describe('variables of a launch', () => {
  const { tasks } = useTasks();
  const commandOf = async (input: Record<string, unknown>): Promise<unknown> => {
    const tool = remoteExecBackground(tasks().launcher, noSweeps);
    const parsed = tool.parse(input);
    if (!parsed.ok) return parsed.problem;
    const [access] = await tool.accesses(parsed.args);
    return access?.kind === 'command' && access.command;
  };

  it('are part of the command that is judged, shown and compared', async () => {
    const env = { LR: 0.1, NAME: "a'b c" };
    assert.equal(
      await commandOf({ command: 'python3 train.py', env }),
      `LR=0.1 NAME='a'\\''b c' python3 train.py`,
    );
    for (const command of ['cd x && python3 train.py', 'python3 train.py --lr $LR'])
      assert.equal(await commandOf({ command, env: { LR: 0.1 } }), `export LR=0.1; ${command}`);
  });

  it('are not secrets, and have names of variables', async () => {
    for (const name of ['OPENAI_API_KEY', 'HF_TOKEN', 'DB_PASSWORD'])
      assert.match(
        String(await commandOf({ command: 'true', env: { [name]: 'x' } })),
        /(?:HF_TOKEN|DB_PASSWORD|OPENAI_API_KEY) is the name of a secret.*passEnvironment/s,
      );
    for (const name of ['TOKENIZERS_PARALLELISM', 'CUDA_LAUNCH_BLOCKING', 'HF_HOME'])
      assert.equal(await commandOf({ command: 'true', env: { [name]: 1 } }), `${name}=1 true`);
    assert.match(
      String(await commandOf({ command: 'true', env: { 'A B': 1 } })),
      /is not the name of a variable/,
    );
  });

  it('reach the run', async () => {
    const { launcher, runs } = tasks();
    const tool = remoteExecBackground(launcher, noSweeps);
    const parsed = tool.parse({ command: 'echo "got $A"; exit', env: { A: 'x y' } });
    assert.ok(parsed.ok);
    await tool.execute(parsed.args, {
      ...{ callId: 'c', signal: new AbortController().signal, accesses: [] },
      sessionId: 's-1' as never,
      progress: () => undefined,
    });
    const [run] = runs.all();
    assert.ok(run);
    let text = '';
    while (!text.includes('got')) text = (await runs.output(run, { lines: 5 })).text;
    assert.match(text, /got x y/);
  });

  it('of a sweep may hold its parameters', () => {
    const parsed = sweep(noSweeps).parse({
      command_template: 'python3 train.py',
      params: { lr: [0.1] },
      env: { LR: '{lr}' },
    });
    assert.ok(parsed.ok);
    assert.equal(
      (parsed.args as { command_template: string }).command_template,
      'LR={lr} python3 train.py',
    );
  });
});
