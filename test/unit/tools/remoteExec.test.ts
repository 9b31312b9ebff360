import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { describe, it } from 'mocha';
import type { ExecOptions } from '../../../src/machines/machine.ts';
import { asks, safe, type Verdict } from '../../../src/permissions/commands/verdicts/verdict.ts';
import { loadShell } from '../../../src/shell/grammar.ts';
import { remoteExec } from '../../../src/tools/machines/remoteExec.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { answer, call, localOnly, toolContext } from './machineTools.harness.ts';

describe('remote_exec', () => {
  const folder = scratchFolder();
  const tool = () => remoteExec({ machines: localOnly(folder()) });

  it('gives output and exit code, or the signal', async () => {
    assert.deepEqual(
      await answer(tool(), { command: 'pwd; printf "\\033[1mbold\\033[0m" >&2; exit 3' }),
      {
        stdout: `${folder()}\n`,
        stderr: 'bold',
        exit_code: 3,
      },
    );
    assert.equal((await answer(tool(), { command: 'kill -9 $$' })).signal, 'KILL');
  });

  it('ends compound commands at the time limit and keeps what they printed', async () => {
    const result = await answer(tool(), {
      command: 'cd / && (pwd; sleep 60)',
      timeout_seconds: 0.3,
    });
    assert.equal(result.stdout, '/\n');
    assert.equal(result.timed_out, true);
    assert.match(String(result.note), /^Ended with its children at .* It no longer runs\./);
    assert.equal('exit_code' in result, false);
  });

  it('is interrupted with the session', async () => {
    const abort = new AbortController();
    const running = call(tool(), { command: 'sleep 60' }, toolContext(abort.signal));
    abort.abort();
    const { summary, content } = await running;
    assert.equal(summary, 'interrupted');
    assert.match(JSON.stringify(content), /ended with its children; it no longer runs/);
  });

  it('understands ~ and the usual other names of parameters', async () => {
    const { stdout } = await answer(tool(), {
      machine: 'local',
      command: 'pwd -P',
      timeout: 10,
      working_directory: '~',
    });
    assert.equal(stdout, `${realpathSync(homedir())}\n`);
  });

  it('runs a command that only reads as argument lists, and another one as it is written', async () => {
    await loadShell();
    const commands: string[] = [];
    const machines = localOnly(folder());
    const machine = machines.get('local');
    const exec = machine.exec.bind(machine);
    Object.assign(machine, {
      exec: (command: string, options: ExecOptions) => {
        commands.push(command);
        return exec(command, options);
      },
    });
    const run = async (verdict: Verdict): Promise<void> => {
      const { accesses, execute, parse } = remoteExec({ machines });
      const parsed = parse({ command: 'cat "a b"|wc -l' });
      assert.ok(parsed.ok);
      const judged = (await accesses(parsed.args)).map((access) => ({ ...access, verdict }));
      await execute(parsed.args, { ...toolContext(), accesses: judged });
    };
    await run(safe);
    await run(asks('runs code', ''));
    assert.deepEqual(commands, ["cat 'a b' | wc -l", 'cat "a b"|wc -l']);
  });

  it('keeps head and tail of an endless output', async () => {
    const { stdout } = await answer(tool(), { command: 'seq 1 200000' });
    assert.match(String(stdout), /^1\n2\n[^]*bytes left out[^]*\n200000\n$/);
    assert.ok(String(stdout).length < 300_000);
  });
});
