import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import type { Clock } from '../../../src/base/clock.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { transfer } from '../../../src/machines/transfer/transfer.ts';
import type {
  TransferReport,
  TransferRequest,
} from '../../../src/machines/transfer/transferRequest.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { disturbed, OtherMachine, writeLies, type Interference } from './lyingMachine.ts';
import { put, seen } from './transferBed.ts';

const megabyte = 2 ** 20;
const largeBytes = 33 * megabyte;
const secret = 'SECRET-OF-THE-USER';
const fastClock: Clock = {
  now: () => performance.now() * 1000,
  after: () => ({ dispose: () => undefined }),
};

/** Puts a link to `target` in the place of a folder, which gets another name. */
function swap(path: string, target: string): void {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  fs.renameSync(path, `${path}.away`);
  fs.symlinkSync(target, path);
}

describe('a link that takes the place of a folder during a transfer', () => {
  const scratch = scratchFolder();
  const local = new LocalMachine({ runsFolder: '/nowhere/runs', workFolder: '/' });

  /** A destination that needs every kind of change, and the same names outside of it. */
  function world(root: string): { from: string; to: string; victim: string } {
    const [from, to, victim] = ['from', 'to', 'outer/sub'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    for (const name of ['sub/old', 'sub/mode', 'sub/deep/old']) {
      put(join(from, name), 'new', 0o644);
      put(join(to, name), name.endsWith('mode') ? 'new' : 'former', 0o600);
    }
    put(join(to, 'sub/gone'), 'x');
    put(join(from, 'sub/fresh/a'), 'a');
    put(join(from, 'sub/deep/a'), 'a');
    fs.mkdirSync(join(from, 'sub/empty'));
    fs.mkdirSync(join(from, 'sub/closed'), { mode: 0o555 });
    fs.symlinkSync('old', join(from, 'sub/link'));
    put(join(from, 'sub/large'), '');
    fs.truncateSync(join(from, 'sub/large'), largeBytes);
    for (const name of ['old', 'mode', 'gone', 'deep/old', 'fresh/a', 'large', 'link'])
      put(join(victim, name), secret, 0o600);
    return { from, to, victim };
  }

  /** Transfers once for each command, with `interfere` before that command. */
  async function beforeEach(
    interfere: (root: string, at: number) => unknown,
    ends: (hook: Interference) => readonly [Machine, Machine],
    judge: (root: string, report: TransferReport | undefined) => void,
  ): Promise<void> {
    for (let at = 0, isReached = true; isReached; at++) {
      const root = join(scratch(), `${at}`);
      const { from, to, victim } = world(root);
      const before = seen(victim);
      isReached = false;
      const [source, target] = ends((index) => {
        if (index !== at) return;
        isReached = true;
        interfere(root, at);
      });
      const report = await transfer({
        from: { machine: source, path: from },
        to: { machine: target, path: to },
        delete: true,
      }).catch(() => undefined);
      assert.deepEqual(seen(victim), before, `before command ${at}`);
      judge(root, report);
      if (!isReached) assert.deepEqual([report?.outcome, report?.problems], ['complete', []]);
      fs.rmSync(root, { recursive: true });
    }
  }

  const folders: Record<string, (root: string, at: number) => unknown> = {
    'the new folders': (root) => {
      swap(join(root, 'to/sub/empty'), '../../outer/sub/deep');
      swap(join(root, 'to/sub/closed'), '../../outer/sub/deep');
      swap(join(root, 'to/sub/fresh'), '../../outer/sub/fresh');
    },
    // A link that is there from the start is the destination that was asked for.
    'the folder of the transfer': (root, at) => at > 0 && swap(join(root, 'to'), 'outer'),
    'the temporary folders': (root) => {
      for (const name of fs.readdirSync(join(root, 'to')))
        if (name.endsWith('.d')) swap(join(root, 'to', name), '../outer');
    },
    'the temporary files': (root) => {
      for (const name of fs.readdirSync(join(root, 'to'))) {
        if (!name.endsWith('.part')) continue;
        fs.rmSync(join(root, 'to', name));
        fs.symlinkSync('../outer/sub/old', join(root, 'to', name));
      }
    },
  };
  for (const [what, interfere] of Object.entries(folders))
    it(`leads nowhere: ${what} at the destination`, async () => {
      await beforeEach(
        interfere,
        (hook) => [local, new OtherMachine('gpu1', { interfere: hook }).machine],
        () => undefined,
      );
    }).timeout(120_000);

  it('leads nowhere when this computer is the destination', async () => {
    await beforeEach(
      (root) => swap(join(root, 'to/sub'), '../outer/sub'),
      (hook) => [new OtherMachine('gpu1').machine, disturbed(local, hook)],
      () => undefined,
    );
  }).timeout(120_000);

  for (const side of ['this computer', 'the other machine'] as const)
    it(`gives nothing away at the source, before a command of ${side}`, async () => {
      let other: OtherMachine | undefined;
      await beforeEach(
        (root) => swap(join(root, 'from/sub'), '../outer/sub'),
        (hook) => {
          const isHere = side === 'this computer';
          other = new OtherMachine('gpu1', isHere ? {} : { interfere: hook });
          return [isHere ? disturbed(local, hook) : local, other.machine];
        },
        () => assert.ok(!Buffer.concat(other?.received ?? []).includes(secret)),
      );
    }).timeout(120_000);

  it('gives nothing away while an archive is read', async () => {
    const [from, victim] = [join(scratch(), 'from'), join(scratch(), 'victim')];
    for (let index = 0; index < 40; index++) {
      put(join(from, `sub/f${index}`), Buffer.alloc(100_000, 'x'));
      put(join(victim, `f${index}`), secret.padEnd(100_000));
    }
    const other = new OtherMachine('gpu1');
    const report = await transfer({
      from: { machine: local, path: from },
      to: { machine: other.machine, path: join(scratch(), 'to') },
      onProgress: () => swap(join(from, 'sub'), '../victim'),
      clock: fastClock,
    });
    assert.ok(fs.lstatSync(join(from, 'sub')).isSymbolicLink());
    assert.notEqual(report.files, 0);
    assert.ok(!Buffer.concat(other.received).includes(secret));
  });

  it('is not followed in the place of a file that is read', async () => {
    for (const size of [100_000, largeBytes]) {
      const [from, victim] = [join(scratch(), `from${size}`), join(scratch(), 'victim')];
      put(join(from, 'file'), Buffer.alloc(size, 'x'));
      put(victim, secret.padEnd(size));
      const other = new OtherMachine('gpu1', {
        interfere: (index) => {
          if (index !== 1) return;
          fs.rmSync(join(from, 'file'));
          fs.symlinkSync('../victim', join(from, 'file'));
        },
      });
      const report = await transfer({
        from: { machine: local, path: from },
        to: { machine: other.machine, path: join(scratch(), `to${size}`) },
      });
      assert.equal(report.outcome, 'partial');
      assert.ok(!Buffer.concat(other.received).includes(secret));
    }
  });

  it('is not followed by the program that moves the files', async () => {
    const [root, bin] = [scratch(), join(scratch(), 'bin')];
    put(join(root, 'from/a'), 'a');
    put(join(root, 'outer/a'), secret);
    const before = seen(join(root, 'outer'));
    const swapAll = `for d in '${root}'/to/.helios*.d; do /bin/mv "$d" "$d.away"; ln -s '${root}/outer' "$d"; done`;
    writeLies(bin, { programs: { mv: `${swapAll}; exec /bin/mv "$@"` } });
    await transfer({
      from: { machine: local, path: join(root, 'from') },
      to: { machine: new OtherMachine('gpu1', { bin }).machine, path: join(root, 'to') },
    });
    assert.deepEqual(seen(join(root, 'outer')), before);
    assert.equal(fs.readFileSync(join(root, 'to/a'), 'utf8'), 'a');
  });

  it('is not followed in the place of the part of an interrupted transfer', async () => {
    const [from, to, victim] = ['from', 'to', 'victim'].map((name) => join(scratch(), name)) as [
      string,
      string,
      string,
    ];
    put(join(from, 'large'), Buffer.alloc(largeBytes, 'x'));
    put(victim, secret.padEnd(largeBytes + 1));
    const before = seen(victim);
    const send = (more: Partial<TransferRequest> = {}) =>
      transfer({
        from: { machine: local, path: from },
        to: { machine: new OtherMachine('gpu1').machine, path: to },
        clock: fastClock,
        ...more,
      });
    const abort = new AbortController();
    await send({
      signal: abort.signal,
      onProgress: ({ bytes }) => bytes > 16 * megabyte && abort.abort(),
    });
    const [part = ''] = fs.readdirSync(to).filter((name) => name.endsWith('.part'));
    fs.rmSync(join(to, part));
    fs.symlinkSync('../victim', join(to, part));
    const report = await send();
    assert.deepEqual([report.outcome, fs.readdirSync(to)], ['complete', ['large']]);
    assert.deepEqual(seen(victim), before);
  });
});
