import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { Lease } from '../../../src/storage/lease.ts';
import type { OwnerKind } from '../../../src/storage/leaseOwner.ts';
import { needs } from '../../setup/needs.ts';

const source = (file: string): string => JSON.stringify(pathToFileURL(path.resolve('src', file)));

/**
 * Takes a lease when it is told a file, and says how it went. With `isDeaf` no timer of its own
 * ever rings.
 */
const contender = `
  import { createInterface } from 'node:readline';
  import { Lease } from ${source('storage/lease.ts')};
  import { systemClock } from ${source('base/clock.ts')};
  const held = new Map();
  const deafClock = { now: () => Date.now(), after: () => ({ dispose() {} }) };
  for await (const line of createInterface({ input: process.stdin })) {
    const { file, kind, takesOver, isDeaf } = JSON.parse(line);
    const release = () => held.get(file)?.release().then(() => console.log(JSON.stringify({ released: file })));
    const terms = { clock: isDeaf ? deafClock : systemClock, kind, takesOver, onLost: () => console.log('{"lost":true}'), onWanted: () => void release() };
    Lease.acquire(file, terms).then(
      (lease) => { held.set(file, lease); console.log(JSON.stringify({ won: process.pid })); },
      (error) => console.log(JSON.stringify({ refused: error.message })),
    );
  }`;

type Answer = Readonly<Record<string, unknown>>;

class Contender {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    this.child = spawn(process.execPath, ['--input-type=module', '-e', contender], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    assert.ok(this.child.stdout);
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  go(
    file: string,
    kind: OwnerKind,
    how: { readonly takesOver?: boolean; readonly isDeaf?: boolean } = {},
  ): void {
    this.child.stdin?.write(`${JSON.stringify({ file, kind, ...how })}\n`);
  }

  async answer(): Promise<Answer> {
    const next = await this.#lines.next();
    assert.ok(next.done !== true, 'the process has ended');
    return JSON.parse(next.value) as Answer;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}

const rounds = 200;
/** No process has it: it is above what the kernel gives. */
const deadPid = 2 ** 22 + 1;

describe('a lease that processes race for', function () {
  this.timeout(300_000);
  let folder: string;
  let contenders: Contender[];

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-race-'));
    contenders = Array.from({ length: 4 }, () => new Contender());
  });
  after(async () => {
    await Promise.all(contenders.map((each) => each.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  const race = async (file: string, kinds: readonly OwnerKind[]): Promise<void> => {
    contenders.forEach((each, index) => each.go(file, kinds[index] ?? 'window'));
    const answers = await Promise.all(contenders.map((each) => each.answer()));
    const winners = answers.flatMap(({ won }) => (typeof won === 'number' ? [won] : []));
    assert.equal(winners.length, 1, JSON.stringify(answers));
    for (const { refused } of answers)
      if (refused !== undefined)
        assert.match(String(refused), new RegExp(`\\(process ${winners[0]} on `));
    assert.equal((await Lease.holder(file, systemClock))?.pid, winners[0]);
  };

  const starts: readonly {
    readonly name: string;
    readonly kinds: readonly OwnerKind[];
    readonly isLeft: boolean;
  }[] = [
    { name: 'nobody’s', kinds: ['window', 'window', 'terminal', 'terminal'], isLeft: false },
    {
      name: 'of a process that died',
      kinds: ['window', 'window', 'terminal', 'terminal'],
      isLeft: true,
    },
    {
      name: 'of a process that died, the background among them',
      kinds: ['detached', 'detached'],
      isLeft: true,
    },
  ];
  for (const { name, kinds, isLeft } of starts)
    it(`has exactly one owner when it was ${name}, ${rounds} times, and the others are told who`, async () => {
      for (let round = 0; round < rounds; round += 1) {
        const file = path.join(folder, `${name.length}-${round}`, 'lease.json');
        if (isLeft) await leave(file);
        // In the background two come at once, and nobody asks them for it.
        await race(
          file,
          kinds.length === 2 ? ['detached', 'detached', 'detached', 'detached'] : kinds,
        );
        assert.deepEqual(await readdir(path.dirname(file)), ['lease.json']);
      }
    });

  const leave = async (file: string): Promise<void> => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(
      file,
      JSON.stringify({
        token: `dead${file.length}`,
        pid: deadPid,
        processStart: '1',
        host: hostname(),
      }),
    );
  };

  it('is handed over by the background at once, not with its heartbeat, to one of those who ask', async () => {
    const [holder, first, second] = contenders;
    assert.ok(holder && first && second);
    for (let round = 0; round < 40; round += 1) {
      const file = path.join(folder, `asked-${round}`, 'lease.json');
      holder.go(file, 'detached', { isDeaf: true });
      assert.deepEqual(await holder.answer(), { won: holder.child.pid });
      first.go(file, 'window');
      second.go(file, 'terminal');
      assert.deepEqual(await holder.answer(), { released: file });
      const answers: readonly Answer[] = await Promise.all([first.answer(), second.answer()]);
      assert.equal(
        answers.filter(({ won }) => won !== undefined).length,
        1,
        JSON.stringify(answers),
      );
      assert.equal(answers.filter(({ refused }) => refused !== undefined).length, 1);
      assert.deepEqual(await readdir(path.dirname(file)), ['lease.json']);
    }
  });

  it('is not asked for by the background, nor handed over by a window or a terminal', async () => {
    for (const [index, [held, wanted]] of (
      [
        ['window', 'terminal'],
        ['terminal', 'window'],
        ['window', 'detached'],
        ['detached', 'detached'],
      ] as const
    ).entries()) {
      const file = path.join(folder, `kept-${index}`, 'lease.json');
      const [holder, other] = contenders;
      holder?.go(file, held);
      assert.deepEqual(await holder?.answer(), { won: holder?.child.pid });
      other?.go(file, wanted);
      assert.match(JSON.stringify(await other?.answer()), /in use by/);
    }
  });

  it('is handed over by a window to the one where a user wants it, and by a terminal to none', async () => {
    const [holder, first, second] = contenders;
    assert.ok(holder && first && second);
    const file = path.join(folder, 'wanted', 'lease.json');
    holder.go(file, 'window');
    assert.deepEqual(await holder.answer(), { won: holder.child.pid });
    for (const kind of ['terminal', 'detached'] as const) {
      second.go(file, kind, { takesOver: true });
      assert.match(JSON.stringify(await second.answer()), /in use by/);
    }
    first.go(file, 'window', { takesOver: true });
    assert.deepEqual(await holder.answer(), { released: file });
    assert.deepEqual(await first.answer(), { won: first.child.pid });
    const kept = path.join(folder, 'kept-terminal', 'lease.json');
    second.go(kept, 'terminal');
    assert.deepEqual(await second.answer(), { won: second.child.pid });
    first.go(kept, 'window', { takesOver: true });
    assert.match(JSON.stringify(await first.answer()), /in use by helios in a terminal/);
  });

  needs('posix')('is free once the background dies over it', async () => {
    const file = path.join(folder, 'died', 'lease.json');
    const holder = new Contender();
    holder.go(file, 'detached');
    await holder.answer();
    // Stopped, it hears nothing: the one that asks waits until it is gone.
    holder.child.kill('SIGSTOP');
    contenders[0]?.go(file, 'window');
    await holder.kill();
    assert.deepEqual(await contenders[0]?.answer(), { won: contenders[0]?.child.pid });
  });
});
