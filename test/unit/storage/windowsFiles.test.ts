import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { homeAccess, keyFindings } from '../../../src/cli/doctor/access.ts';
import { adviceOf } from '../../../src/base/errors.ts';
import {
  HeldFile,
  removeFile,
  replaceFileSync,
  type HeldFileDeps,
} from '../../../src/base/heldFiles.ts';
import { diskError } from '../../../src/metrics/disk/appendOnly.ts';
import { MetricsError } from '../../../src/metrics/metricsError.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { claim } from '../../../src/storage/claim.ts';
import { readOwner, thisProcess, tokenOf } from '../../../src/storage/leaseOwner.ts';
import { readSecretFile, secretStore } from '../../../src/storage/secretFiles.ts';
import { isPassing } from '../../../src/storage/storageFailure.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { until } from '../../fakes/testEngine.ts';
import { FakeWindows } from '../../fakes/windowsPrograms.ts';
import { needs } from '../../setup/needs.ts';

describe('keys in files on Windows', () => {
  const scratch = scratchFolder();
  const sid = 'S-1-5-21-1004336348-1177238915-682003330-1001';

  function windows(icacls = ''): FakeWindows {
    const fake = new FakeWindows(scratch());
    fake.program('whoami.exe', `echo '"lab\\ada","${sid}"'`);
    fake.program('icacls.exe', icacls);
    return fake;
  }

  needs('posix')(
    'are in a folder for the user alone, before they are written, and are read again',
    async () => {
      const keys = join(scratch(), 'home/keys');
      const fake = windows(`ls -A "$1" >> '${scratch()}/names'`);
      const system = fake.system();
      await secretStore(keys, system)('anthropic', 'one');
      assert.deepEqual(fake.calls('whoami.exe'), [['/user', '/fo', 'csv', '/nh']]);
      const groups = ['*S-1-1-0', '*S-1-5-11', '*S-1-5-32-545'];
      assert.deepEqual(fake.calls('icacls.exe'), [
        [keys, '/inheritance:r', '/grant:r', `*${sid}:(OI)(CI)F`, '/remove:g', ...groups, '/q'],
      ]);
      assert.equal(readFileSync(join(scratch(), 'names'), 'utf8'), '');
      chmodSync(join(keys, 'anthropic'), 0o666);
      assert.equal(await readSecretFile(join(keys, 'anthropic'), system), 'one');
      await secretStore(keys, system)('anthropic', undefined);
      assert.deepEqual(readdirSync(keys), []);
      assert.equal(fake.calls('icacls.exe').length, 1, 'nothing to close where a key is deleted');
    },
  );

  needs('posix')('are not written where the access list cannot be set', async () => {
    const keys = join(scratch(), 'keys');
    const fake = windows('echo "The parameter is incorrect." >&2; exit 87');
    const stored = secretStore(keys, fake.system())('anthropic', 'one');
    await assert.rejects(stored, (error) => {
      assert.match(
        adviceOf(error),
        /was not stored, because .*keys cannot be closed to other users/,
      );
      assert.match(adviceOf(error), /The parameter is incorrect/);
      assert.match(adviceOf(error), /in an environment variable/);
      return true;
    });
    fake.program('whoami.exe', 'echo nobody');
    await assert.rejects(secretStore(keys, fake.system())('anthropic', 'one'), /whoami/);
    assert.equal(existsSync(join(keys, 'anthropic')), false);
  });

  it('are judged by helios doctor by what holds there', async () => {
    const authFolder = join(scratch(), 'auth');
    mkdirSync(authFolder);
    writeFileSync(join(authFolder, 'anthropic'), 'x', { mode: 0o666 });
    const [finding] = await keyFindings({ authFolder }, 'win32');
    assert.equal(finding?.level, 'note');
    assert.match(finding.text, /^1 in .*auth, whose access list Helios sets/);
    assert.match(finding.action ?? '', /icacls "/);
    assert.equal((await keyFindings({ authFolder }, 'linux'))[0]?.level, 'broken');
    assert.equal(homeAccess([], [], 'win32').level, 'note');
    assert.equal(homeAccess([], [], 'linux').level, 'ok');
  });
});

describe('replacing a file on Windows', () => {
  const scratch = scratchFolder();
  const refused = (code: string) => Object.assign(new Error(`${code}: no`), { code });

  /** A system on which the first renames are refused. */
  function busy(platform: NodeJS.Platform, code: string, refusals: number) {
    const clock = new ManualClock();
    const tries: number[] = [];
    const refuseFirst = (work: () => Promise<void>): Promise<void> => {
      tries.push(clock.now());
      return tries.length <= refusals ? Promise.reject(refused(code)) : work();
    };
    const deps: HeldFileDeps = {
      ...{ clock, platform },
      rename: (from, to) => refuseFirst(() => rename(from, to)),
      rm: (path, options) => refuseFirst(() => rm(path, options)),
    };
    return { clock, tries, deps };
  }

  for (const code of ['EPERM', 'EACCES', 'EBUSY'])
    it(`waits while another program has it open (${code})`, async () => {
      const file = join(scratch(), 'file');
      writeFileSync(file, 'old');
      const { clock, tries, deps } = busy('win32', code, 8);
      const written = writeFileAtomic(file, 'new', 0o600, deps);
      await passed(clock, () => tries.length > 8);
      await written;
      assert.equal(readFileSync(file, 'utf8'), 'new');
      assert.deepEqual(readdirSync(scratch()), ['file']);
    });

  it('says after five seconds that it is open, so that a session waits', async () => {
    const file = join(scratch(), 'file');
    writeFileSync(file, 'old');
    const { clock, tries, deps } = busy('win32', 'EPERM', Infinity);
    const startMs = clock.now();
    let failure: unknown;
    const written = writeFileAtomic(file, 'new', 0o600, deps).catch(
      (error: unknown) => (failure = error),
    );
    await passed(clock, () => failure !== undefined);
    await written;
    assert.ok(isPassing(failure));
    assert.match(failure.message, /^Cannot replace .*file: another program, .* has it open\./);
    const lastedMs = (tries.at(-1) ?? 0) - startMs;
    assert.ok(lastedMs >= 5_000 && lastedMs <= 5_250, String(lastedMs));
    assert.deepEqual(readdirSync(scratch()), ['file']);
    assert.equal(readFileSync(file, 'utf8'), 'old');
  });

  it('fails at once for other reasons, and on other systems', async () => {
    const file = join(scratch(), 'file');
    for (const [platform, code, reason] of [
      ['win32', 'ENOSPC', 'no_space'],
      ['linux', 'EPERM', 'denied'],
      ['darwin', 'EBUSY', 'io'],
    ] as const) {
      const { tries, deps } = busy(platform, code, Infinity);
      await assert.rejects(writeFileAtomic(file, 'new', 0o600, deps), { reason });
      assert.equal(tries.length, 1);
    }
  });

  needs('posix')('holds for the lock of a dead owner, too', async () => {
    const file = join(scratch(), 'lock');
    writeFileSync(
      file,
      JSON.stringify({ ...(await thisProcess('window')), processStart: 'earlier' }),
    );
    const { clock, tries, deps } = busy('win32', 'EPERM', 3);
    const owner = await thisProcess('terminal');
    const claimed = claim(file, owner, clock, { held: deps });
    await passed(clock, () => tries.length > 5);
    assert.notEqual(await claimed, undefined);
    assert.equal(tokenOf(await readOwner(file)), owner.token);
  });
});

describe('deleting a file on Windows', () => {
  const scratch = scratchFolder();
  const refused = Object.assign(new Error('EBUSY: no'), { code: 'EBUSY' });

  function held(platform: NodeJS.Platform, refusals: number) {
    const clock = new ManualClock();
    let tries = 0;
    const deps: HeldFileDeps = {
      ...{ clock, platform, rename },
      rm: (path, options) => (++tries <= refusals ? Promise.reject(refused) : rm(path, options)),
    };
    return { clock, deps, tries: () => tries };
  }

  it('waits while another program has it open', async () => {
    const folder = join(scratch(), 'folder');
    mkdirSync(join(folder, 'below'), { recursive: true });
    const { clock, deps, tries } = held('win32', 4);
    const removed = removeFile(folder, { recursive: true }, deps);
    await passed(clock, () => tries() > 4);
    await removed;
    assert.equal(existsSync(folder), false);
  });

  it('says after five seconds that it is open, and at once elsewhere', async () => {
    const { clock, deps, tries } = held('win32', Infinity);
    const startMs = clock.now();
    let failure: unknown;
    const removed = removeFile('/C/file', {}, deps).catch((error: unknown) => (failure = error));
    await passed(clock, () => failure !== undefined);
    await removed;
    assert.ok(failure instanceof HeldFile);
    assert.match(
      failure.message,
      /^Cannot delete \/C\/file: another program, .* Close that program\.$/,
    );
    assert.ok(clock.now() - startMs >= 5_000);
    assert.ok(tries() > 10);
    const linux = held('linux', Infinity);
    await assert.rejects(removeFile('/C/file', {}, linux.deps), refused);
    assert.equal(linux.tries(), 1);
  });
});

describe('replacing a file of metrics on Windows', () => {
  const refused = Object.assign(new Error('EACCES: no'), { code: 'EACCES' });
  const busy = (platform: NodeJS.Platform, refusals: number) => {
    const waits: number[] = [];
    let tries = 0;
    const rename = (): void => {
      if (++tries <= refusals) throw refused;
    };
    return { platform, rename, wait: (ms: number) => void waits.push(ms), waits };
  };

  it('waits a moment while another program has it open', () => {
    const system = busy('win32', 3);
    replaceFileSync('new', 'old', system);
    assert.deepEqual(system.waits, [10, 20, 40]);
  });

  it('is left to the next write if it stays open, and fails at once elsewhere', () => {
    const system = busy('win32', Infinity);
    assert.throws(() => replaceFileSync('new', 'old', system), HeldFile);
    assert.deepEqual(system.waits, [10, 20, 40, 80]);
    assert.throws(() => replaceFileSync('new', 'old', busy('darwin', Infinity)), refused);
  });

  it('is a failure of the metrics that may pass', () => {
    const failure = diskError(new HeldFile('replace', 'points', refused), '/home');
    assert.ok(failure instanceof MetricsError);
    assert.equal(failure.reason, 'io');
  });
});

/** Moves the clock until `isDone`. Files are read and written meanwhile, which takes real time. */
const passed = (clock: ManualClock, isDone: () => boolean): Promise<void> =>
  until(() => {
    if (clock.pendingTimers > 0) void clock.advance(250);
    return isDone();
  });
