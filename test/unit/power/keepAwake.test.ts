import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { silentLogger } from '../../../src/base/logger.ts';
import type { Place } from '../../../src/base/place.ts';
import { holderOf } from '../../../src/power/holders.ts';
import { KeepAwake } from '../../../src/power/keepAwake.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { until } from '../../fakes/testEngine.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('keeping the computer awake', () => {
  let folder = '';
  const pathBefore = process.env.PATH;
  const log = () => path.join(folder, 'log');
  const held = (): number[] =>
    existsSync(log())
      ? readFileSync(log(), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map(Number)
      : [];
  const tool = async (script: string, name = 'systemd-inhibit'): Promise<void> => {
    const file = path.join(folder, name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  };
  /** Runs what it is given while it holds, as the real one does. */
  const holding = () => tool(`echo $$ >> ${log()}\nfor last; do :; done\n"$last"`);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-awake-'));
    process.env.PATH = `${folder}:${pathBefore ?? ''}`;
  });
  afterEach(async () => {
    process.env.PATH = pathBefore;
    delete process.env['SystemRoot'];
    await rm(folder, { recursive: true, force: true });
  });

  it('starts the tool without keys in its environment', async () => {
    const seen = path.join(folder, 'seen');
    await tool(`env > ${seen}.new && mv ${seen}.new ${seen}\ncat`);
    process.env['OPENAI_API_KEY'] = 'sk-model';
    const options = { clock: new ManualClock(), logger: silentLogger };
    const awake = new KeepAwake({
      isWanted: () => true,
      platform: 'linux',
      place: 'computer',
      ...options,
    });
    try {
      awake.update();
      await until(() => existsSync(seen));
      assert.ok(!readFileSync(seen, 'utf8').includes('sk-model'));
    } finally {
      delete process.env['OPENAI_API_KEY'];
      awake.dispose();
    }
  });

  it('holds once while there is work, and lets go a minute after it', async () => {
    await holding();
    const clock = new ManualClock();
    let isWanted = true;
    const keepAwake = new KeepAwake({
      isWanted: () => isWanted,
      clock,
      logger: silentLogger,
      platform: 'linux',
      place: 'computer',
    });
    keepAwake.update();
    keepAwake.update();
    await until(() => held().length === 1);
    const [pid = 0] = held();
    isWanted = false;
    keepAwake.update();
    await clock.advance(30_000);
    isWanted = true;
    keepAwake.update();
    await clock.advance(120_000);
    assert.ok(isAlive(pid), 'new work within the minute keeps the same hold');
    isWanted = false;
    keepAwake.update();
    await clock.advance(61_000);
    await until(() => !isAlive(pid));
    assert.equal(held().length, 1);
  });

  it('lets go when its process is killed', async () => {
    await holding();
    const script = `
      import { KeepAwake } from ${JSON.stringify(path.resolve('src/power/keepAwake.ts'))};
      import { systemClock } from ${JSON.stringify(path.resolve('src/base/clock.ts'))};
      const logger = { debug() {}, info() {}, warn: console.error, error: console.error };
      new KeepAwake({ isWanted: () => true, clock: systemClock, logger, platform: 'linux', place: 'computer' }).update();
      setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: 'inherit',
    });
    await until(() => held().length === 1);
    const [pid = 0] = held();
    owner.kill('SIGKILL');
    await until(() => !isAlive(pid));
  });

  it('says once that it cannot, and does not try again', async () => {
    await tool('exit 1');
    const said: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void said.push(message) };
    const keepAwake = new KeepAwake({
      isWanted: () => true,
      clock: new ManualClock(),
      logger,
      platform: 'linux',
      place: 'computer',
    });
    keepAwake.update();
    await until(() => said.length === 1);
    keepAwake.update();
    keepAwake.update();
    assert.match(
      said[0] ?? '',
      /Cannot keep the computer awake: systemd-inhibit ended unexpectedly with 1/,
    );
    const elsewhere = new KeepAwake({
      isWanted: () => true,
      clock: new ManualClock(),
      logger,
      platform: 'aix',
      place: 'computer',
    });
    elsewhere.update();
    assert.equal(said.length, 2);
  });

  const windowsTools: readonly [NodeJS.Platform, Place][] = [
    ['win32', 'computer'],
    ['linux', 'wsl'],
  ];
  for (const [platform, place] of windowsTools)
    it(`holds Windows through powershell on ${platform} (${place}), and names it`, async () => {
      const args = path.join(folder, 'args');
      await tool(
        `printf '%s\n' "$@" > ${args}
echo $$ >> ${log()}
cat`,
        platform === 'win32'
          ? 'Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'
          : 'powershell.exe',
      );
      process.env['SystemRoot'] = path.join(folder, 'Windows');
      const said: string[] = [];
      const logger = { ...silentLogger, info: (message: string) => void said.push(message) };
      const options = { clock: new ManualClock(), logger, platform, place };
      const keepAwake = new KeepAwake({ isWanted: () => true, ...options });
      keepAwake.update();
      await until(() => held().length === 1 && said.length === 1);
      const [pid = 0] = held();
      assert.match(said[0] ?? '', place === 'wsl' ? /^Keeping Windows/ : /^Keeping this computer/);
      const given = readFileSync(args, 'utf8');
      assert.match(given, /^-NoProfile\n-NonInteractive\n-InputFormat\nNone\n-Command\n/);
      assert.match(given, /SetThreadExecutionState\(\[uint32\]2147483649\).*ReadToEnd\(\)/);
      assert.ok(!given.includes('"'), 'double quotes are read differently on the way');
      keepAwake.dispose();
      await until(() => !isAlive(pid));
    });

  it('kills a tool that does not end with its input', async () => {
    await tool(`echo $$ >> ${log()}
exec sleep 600`);
    const clock = new ManualClock();
    const options = { clock, logger: silentLogger, platform: 'linux', place: 'computer' } as const;
    const keepAwake = new KeepAwake({ isWanted: () => true, ...options });
    keepAwake.update();
    await until(() => held().length === 1);
    const [pid = 0] = held();
    keepAwake.dispose();
    assert.ok(isAlive(pid));
    await clock.advance(5_000);
    await until(() => !isAlive(pid));
  });

  it('holds nothing in a container, and says so', () => {
    for (const place of ['container', 'dev-container', 'codespaces'] as const) {
      const said: string[] = [];
      const logger = { ...silentLogger, warn: (message: string) => void said.push(message) };
      const options = { clock: new ManualClock(), logger, platform: 'linux', place } as const;
      const keepAwake = new KeepAwake({ isWanted: () => true, ...options });
      keepAwake.update();
      keepAwake.update();
      assert.equal(said.length, 1);
      assert.match(said[0] ?? '', /Cannot keep the computer awake: .*(container|codespace)/);
    }
  });

  it('names the host that it holds through SSH, and leaves a Mac to caffeinate', () => {
    const there = holderOf({ platform: 'linux', env: {} }, 'ssh');
    assert.ok(typeof there === 'object');
    assert.match(there.computer, /this host, not the computer with the window/);
    const mac = holderOf({ platform: 'darwin', env: {} }, 'computer');
    assert.deepEqual(typeof mac === 'object' && mac.command, ['caffeinate', '-i', 'cat']);
  });
});
