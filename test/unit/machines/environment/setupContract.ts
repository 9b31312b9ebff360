/** What holds for the environment of commands and runs on every kind of machine. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { restoreEnvironment } from '../../../fakes/environment.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import type { Disposable } from '../../../../src/base/disposable.ts';
import { newRunId, type SessionId } from '../../../../src/base/ids.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';
import type { Machine } from '../../../../src/machines/machine.ts';
import type { SshEntry } from '../../../../src/machines/machineEntry.ts';
import { Runs } from '../../../../src/runs/runs.ts';
import type { Verdict } from '../../../../src/runs/run.ts';
import { remoteExec } from '../../../../src/tools/machines/remoteExec.ts';
import { until } from '../../../fakes/scratch.ts';

export type SetupFields = Pick<SshEntry, 'env' | 'prologue' | 'passEnvironment'>;

export interface SetupHost {
  open(fields: SetupFields): Machine & Partial<Disposable>;
  /** Creates the file `path` in the home folder of the machine. */
  writeHome(path: string, text: string): Promise<void>;
  /** Variables that runs get of this computer without a setting. */
  readonly passed: readonly string[];
}

/** What `conda` installs, as far as a shell sees it. */
const condaScript = [
  'conda() {',
  '  case $1 in',
  '    activate) CONDA_PREFIX=/envs/$2; export CONDA_PREFIX ;;',
  '    *) echo "conda $1" ;;',
  '  esac',
  '}',
].join('\n');

export interface Outcome {
  readonly text: string;
  readonly code?: number | undefined;
}

export function setupContract(kind: string, host: () => SetupHost): void {
  describe(`the environment of commands and runs: ${kind}`, () => {
    const before = { ...process.env };
    const owned: Partial<Disposable>[] = [];
    let home = '';
    let number = 0;
    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'helios-setup-'));
      Object.assign(process.env, {
        WANDB_API_KEY: 'wandb-value',
        AWS_SESSION_TOKEN: 'aws-value',
        LAB_TOKEN: 'lab-value',
        OPENAI_API_KEY: 'model-value',
      });
    });
    afterEach(() => {
      for (const one of owned.splice(0).reverse()) one.dispose?.();
      rmSync(home, { recursive: true, force: true });
      restoreEnvironment(before);
    });

    const open = (fields: SetupFields = {}): Machine => {
      const machine = host().open(fields);
      owned.push(machine);
      return machine;
    };

    async function command(machine: Machine, text: string): Promise<Outcome> {
      const tool = remoteExec({ machines: createMachines([machine]) });
      const parsed = tool.parse({ machine_id: machine.id, command: text });
      assert.ok(parsed.ok);
      const { content } = await tool.execute(parsed.args, {
        sessionId: 's-test00000' as SessionId,
        callId: 'c1',
        signal: new AbortController().signal,
        accesses: [],
        progress: () => undefined,
      });
      assert.ok(typeof content === 'object');
      return { text: JSON.stringify(content), code: content['exit_code'] as number };
    }

    async function run(machine: Machine, text: string): Promise<Outcome> {
      const machines = createMachines([machine]);
      const runs = new Runs({ machines, folder: join(home, 'runs'), clock: systemClock });
      owned.push(runs);
      await machine.ready?.({ mayAsk: true });
      const started = await runs.launch({
        id: newRunId(Date.now()),
        sessionId: 's-test00000' as SessionId,
        number: ++number,
        machineId: machine.id,
        command: text,
        cwd: machine.workFolder,
        env: {},
        metrics: {},
        label: '',
        plannedMs: Date.now(),
      });
      await until('the run ends', () => started.liveness.kind === 'ended');
      assert.ok(started.liveness.kind === 'ended');
      return {
        text: (await runs.output(started, { lines: 200 })).text,
        code: codeOf(started.liveness.verdict),
      };
    }

    for (const [what, start] of [
      ['command', command],
      ['run', run],
    ] as const) {
      it(`gives env and prologue to a ${what}`, async () => {
        const machine = open({
          env: { DATA: "it's /data", WANDB_MODE: 'offline' },
          prologue: ['FROM="$DATA"', 'export FROM'],
        });
        const { text, code } = await start(machine, 'echo "hello $FROM"; echo "$WANDB_MODE"');
        assert.match(text, /hello it's \/data/);
        assert.match(text, /offline/);
        assert.equal(code, 0);
      });

      it(`says which line of the prologue failed before a ${what}`, async () => {
        const mark = randomBytes(4).toString('hex');
        for (const line of ['load_module cuda', 'echo "no cuda here" >&2; exit 7']) {
          const machine = open({ prologue: ['true', line, 'echo later'] });
          const { text, code } = await start(machine, `echo ran-${mark}`);
          assert.ok(text.includes(`The prologue of ${machine.id} failed with exit code ${code}: `));
          assert.match(text, /load_module|no cuda here/);
          assert.ok(!text.includes(`ran-${mark}`) && !text.includes('later'), text);
          assert.ok(code === 127 || code === 7, String(code));
        }
      });

      it(`lets a ${what} use conda activate where conda is installed`, async () => {
        await host().writeHome('tools/conda/etc/profile.d/conda.sh', condaScript);
        await host().writeHome(
          '.bashrc',
          [
            'case $- in *i*) ;; *) return;; esac',
            'touch "$HOME/profile-ran"',
            '# >>> conda initialize >>>',
            `__conda_setup="$('HOME/tools/conda/bin/conda' 'shell.bash' 'hook' 2> /dev/null)"`,
          ].join('\n'),
        );
        const { text, code } = await start(
          open(),
          'conda activate torch && echo "prefix $CONDA_PREFIX"; ls "$HOME"',
        );
        assert.match(text, /prefix \/envs\/torch/);
        assert.equal(code, 0);
        assert.ok(!text.includes('profile-ran'));
      });

      it(`gives no key of this computer to a ${what} that it is not for`, async () => {
        const names = ['WANDB_API_KEY', 'AWS_SESSION_TOKEN', 'LAB_TOKEN', 'OPENAI_API_KEY'];
        const passed = what === 'run' ? host().passed : [];
        const { text } = await start(open(), 'env');
        for (const name of names)
          assert.equal(text.includes(`${name}=`), passed.includes(name), `${name} of a ${what}`);
      });
    }

    it('writes no value of this computer to the folders of runs', async () => {
      const machine = open();
      await run(machine, 'true');
      const { code } = await command(machine, `grep -r wandb-value '${machine.runsFolder}'`);
      assert.equal(code, 1);
    });

    it('passes listed variables to runs only, and never keys of models', async () => {
      const machine = open({ passEnvironment: ['LAB_*', 'OPENAI_API_KEY'] });
      const ofRun = await run(machine, 'echo "$LAB_TOKEN, $OPENAI_API_KEY."');
      assert.match(ofRun.text, /lab-value, \./);
      assert.match((await command(machine, 'echo "<$LAB_TOKEN>"')).text, /<>/);
    });

    it('says after a failed command which variable was withheld', async () => {
      const { text } = await command(open(), 'echo "KeyError: LAB_TOKEN" >&2; exit 1');
      assert.match(text, /LAB_TOKEN is set here, but (withheld|not passed)/);
      const fine = await command(open(), 'echo LAB_TOKEN');
      assert.ok(!fine.text.includes('is set here'));
    });
  });
}

function codeOf(verdict: Verdict): number | undefined {
  if (verdict.kind === 'ok') return 0;
  return verdict.kind === 'failed' ? verdict.code : undefined;
}
