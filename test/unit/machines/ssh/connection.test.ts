import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server as TcpServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import ssh2 from 'ssh2';
import {
  SshConnection,
  type SshConnectionDeps,
} from '../../../../src/machines/ssh/sshConnection.ts';
import type { SshTarget } from '../../../../src/machines/ssh/sshConfig.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import { isAlive } from '../alive.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { freePort } from '../../../fakes/freePort.ts';
import { makeKey, scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';

describe('SshConnection', () => {
  const folder = scratchFolder();
  let sshd: TestSshd;
  const owned: { dispose(): void }[] = [];
  before(async () => {
    sshd = await TestSshd.start();
  });
  after(() => sshd.dispose());
  afterEach(() => {
    for (const one of owned.splice(0).reverse()) one.dispose();
    sshd.trustHostKey();
  });

  function connect(target: SshTarget, parts: Partial<SshConnectionDeps> = {}): SshMachine {
    const connection = new SshConnection(target, {
      ...scriptedPrompts(),
      random: () => 0,
      ...parts,
    });
    const machine = new SshMachine({ id: 'gpu1', connection, homeFolder: '/' });
    owned.push(connection, machine);
    return machine;
  }

  /** As somebody who acts there does. */
  const echo = async (machine: SshMachine, word: string): Promise<string> => {
    await machine.connection.ready({ mayAsk: true });
    return (await machine.exec(`echo ${word}`)).stdout.trim();
  };

  it('is one for everything that happens at a time', async () => {
    const machine = connect(sshd.target());
    const before = sshd.logins;
    const words = Array.from({ length: 20 }, (_, index) => `word${index}`);
    assert.deepEqual(await Promise.all(words.map((word) => echo(machine, word))), words);
    assert.equal(sshd.logins - before, 1);
  });

  it('keeps within the sessions that the server allows, down to one', async () => {
    for (const limit of [3, 2, 1]) {
      const narrow = await TestSshd.start([`MaxSessions ${limit}`]);
      try {
        const machine = connect(narrow.target());
        const path = join(folder(), `log${limit}`);
        writeFileSync(path, 'here');
        const read: string[] = [];
        const follow = machine.follow(path, 0, {
          onBytes: (bytes) => void read.push(Buffer.from(bytes).toString()),
          onChange: () => undefined,
          onError: () => undefined,
        });
        const words = Array.from({ length: 10 }, (_, index) => `word${index}`);
        assert.deepEqual(await Promise.all(words.map((word) => echo(machine, word))), words);
        assert.equal(Buffer.from(await machine.readFile(path)).toString(), 'here');
        await follow.drain();
        assert.equal(read.join(''), 'here');
        // With every session taken, what is to be ended is ended all the same, with its children.
        const pids = join(folder(), `pids${limit}`);
        const late = Array.from({ length: limit }, () =>
          machine.exec(`sleep 60 & echo $! >>${pids}; echo $$ >>${pids}; sleep 60`, {
            timeoutMs: 300,
          }),
        );
        for (const { outcome } of await Promise.all(late))
          assert.deepEqual(outcome, { kind: 'timed_out', afterMs: 300 });
        const left = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
        assert.equal(left.length, 2 * limit);
        await until('nobody is left', () => !left.some(isAlive));
        assert.equal(await echo(machine, 'after'), 'after');
        follow.dispose();
      } finally {
        for (const one of owned.splice(0).reverse()) one.dispose();
        await narrow.dispose();
      }
    }
  });

  it('asks once about an unknown host, and remembers it', async () => {
    writeFileSync(sshd.knownHosts, '');
    const no = scriptedPrompts({ confirm: false });
    await assert.rejects(echo(connect(sshd.target(), no), 'x'), {
      reason: 'host_key',
      message: /not confirmed/,
    });
    assert.equal(readFileSync(sshd.knownHosts, 'utf8'), '');
    const yes = scriptedPrompts({ confirm: true });
    assert.equal(await echo(connect(sshd.target(), yes), 'x'), 'x');
    assert.match(yes.asked.join(), /^host \[127\.0\.0\.1\]:\d+ ssh-ed25519 SHA256:\S{43}$/);
    assert.equal(await echo(connect(sshd.target(), no), 'y'), 'y');
    assert.equal(no.asked.length, 1);
  });

  it('refuses a host whose key has changed, without asking', async () => {
    makeKey(join(folder(), 'other'));
    const [type, key] = readFileSync(join(folder(), 'other.pub'), 'utf8').split(' ');
    writeFileSync(sshd.knownHosts, `${sshd.host} ${type} ${key}\n`);
    const { prompts, asked } = scriptedPrompts({ confirm: true });
    const before = sshd.logins;
    await assert.rejects(echo(connect(sshd.target(), { prompts }), 'x'), {
      reason: 'host_key',
      message: /known_hosts:1.*ssh-keygen -R/s,
    });
    assert.deepEqual(asked, []);
    assert.equal(sshd.logins, before);
  });

  it('opens an encrypted key with a passphrase that is asked once', async () => {
    const path = join(folder(), 'locked');
    makeKey(path, 'open sesame');
    const allowed = join(sshd.folder, 'authorized_keys');
    const others = readFileSync(allowed, 'utf8');
    writeFileSync(allowed, others + readFileSync(`${path}.pub`, 'utf8'));
    const { prompts, asked } = scriptedPrompts({ secret: 'open sesame' });
    const machine = connect(sshd.target({ identityFiles: [path] }), { prompts });
    assert.equal(await echo(machine, 'a'), 'a');
    sshd.cut();
    await until('it is back', async () => (await echo(machine, 'b').catch(() => '')) === 'b');
    const { user, port } = sshd.target();
    assert.deepEqual(asked, [`passphrase ${user}@127.0.0.1:${port} ${path}`]);
    const wrong = connect(
      sshd.target({ identityFiles: [path] }),
      scriptedPrompts({ secret: 'wrong' }),
    );
    await assert.rejects(echo(wrong, 'x'), { reason: 'auth', message: /cannot be opened/ });
    writeFileSync(allowed, others);
  });

  it('uses the agent', async () => {
    const socket = join(folder(), 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(agent.stdout, 'data');
      const add = spawn('ssh-add', ['-q', join(sshd.folder, 'key')], {
        env: { SSH_AUTH_SOCK: socket },
        stdio: 'ignore',
      });
      await once(add, 'exit');
      assert.equal(
        await echo(
          connect(sshd.target({ identityFiles: [], agents: [join(folder(), 'none'), socket] })),
          'x',
        ),
        'x',
      );
      const dead = sshd.target({ agents: [join(folder(), 'none')] });
      assert.equal(await echo(connect(dead), 'y'), 'y');
    } finally {
      agent.kill();
    }
  });

  it('says what was tried when it is not let in', async () => {
    makeKey(join(folder(), 'stranger'));
    const machine = connect(sshd.target({ identityFiles: [join(folder(), 'stranger')] }));
    await assert.rejects(echo(machine, 'x'), {
      reason: 'auth',
      message: /stranger.*authorized_keys/s,
    });
  });

  it('goes through other hosts', async () => {
    const gate = await TestSshd.start();
    try {
      const through = new SshConnection(gate.target(), scriptedPrompts());
      owned.push(through);
      const machine = connect(sshd.target(), { through });
      assert.equal(await echo(machine, 'far'), 'far');
      assert.equal(gate.logins, 1);
      gate.cut();
      await until(
        'it is back',
        async () => (await echo(machine, 'again').catch(() => '')) === 'again',
      );
    } finally {
      await gate.dispose();
    }
  });

  it('fails fast while a host is down, tries ever less often, and comes back', async () => {
    const clock = new ManualClock();
    const port = await freePort();
    const { connection } = connect(sshd.target({ port }), { clock, random: () => 1 });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      await assert.rejects(connection.ready(), {
        reason: 'unreachable',
        message: /cannot be reached/,
      });
      waits.push(connection.retryAfterMs);
      await clock.advance(connection.retryAfterMs);
    }
    assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    await assert.rejects(connection.ready(), { reason: 'unreachable' });
    let tried = 0;
    const server: TcpServer = createServer((socket) => {
      tried++;
      socket.destroy();
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    await Promise.all(
      Array.from({ length: 20 }, () =>
        assert.rejects(connection.ready(), { reason: 'unreachable' }),
      ),
    );
    assert.equal(tried, 0, 'nothing is tried before it is time');
    connection.retry();
    await assert.rejects(connection.ready(), { reason: 'unreachable' });
    assert.equal(tried, 1);
    server.close();
    await once(server, 'close');
  });

  it('leaves a host that did not let it in alone for minutes, and does not come back by itself', async () => {
    const clock = new ManualClock();
    const { connection } = connect(sshd.target(), { clock, random: () => 1 });
    const triedBefore = sshd.log.split('Connection from').length - 1;
    await connection.ready();
    const allowed = join(sshd.folder, 'authorized_keys');
    const keys = readFileSync(allowed, 'utf8');
    writeFileSync(allowed, '');
    try {
      sshd.cut();
      await until('it is down', () => connection.state.kind === 'down');
      await clock.advance(500);
      await until(
        'it was refused',
        () => connection.state.kind === 'down' && connection.state.failure.reason === 'auth',
      );
      assert.equal(connection.retryAfterMs, 300_000);
      assert.equal(clock.pendingTimers, 0);
      await clock.advance(299_999);
      await assert.rejects(connection.ready(), { reason: 'auth' });
      assert.equal(sshd.log.split('Connection from').length - 1, triedBefore + 2);
    } finally {
      writeFileSync(allowed, keys);
    }
  });

  it('tries ever less often also where the host is there for moments only', async () => {
    const clock = new ManualClock();
    const { connection } = connect(sshd.target(), { clock, random: () => 1 });
    const waits: number[] = [];
    await connection.ready();
    for (const stayedMs of [0, 4999, 0, 5000, 4999]) {
      await clock.advance(stayedMs);
      sshd.cut();
      await until('it is down', () => connection.state.kind === 'down');
      waits.push(connection.retryAfterMs);
      await clock.advance(connection.retryAfterMs);
      await until('it came back by itself', () => connection.state.kind === 'connected');
    }
    assert.deepEqual(waits, [500, 1000, 2000, 500, 1000]);
  });

  it('gives up on a host that accepts and says nothing', async () => {
    const sockets: { destroy(): void }[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const clock = new ManualClock();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { connection } = connect(sshd.target({ port }), { clock });
    const ready = connection.ready();
    ready.catch(() => undefined);
    await until('it was accepted', () => sockets.length > 0);
    await clock.advance(15_000);
    await assert.rejects(ready, { reason: 'timeout', message: /did not answer within 15 s/ });
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  for (const method of ['password', 'keyboard-interactive'] as const)
    it(`asks for a secret once with ${method}, and again only when it was wrong`, async () => {
      const server = new ssh2.Server(
        { hostKeys: [readFileSync(join(sshd.folder, 'host_key'))] },
        (client) => {
          client.on('error', () => undefined);
          client.on('authentication', (context) => {
            if (context.method !== method) return context.reject([method]);
            if (context.method === 'password')
              return context.password === 'right' ? context.accept() : context.reject();
            if (context.method === 'keyboard-interactive')
              context.prompt([{ prompt: 'Password: ', echo: false }], (answers) =>
                answers[0] === 'right' ? context.accept() : context.reject(),
              );
          });
        },
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      writeFileSync(
        sshd.knownHosts,
        readFileSync(sshd.knownHosts, 'utf8').replace(/:\d+ /, `:${port} `),
      );
      const answers = { secret: 'wrong' };
      const { prompts, asked } = scriptedPrompts(answers);
      const clock = new ManualClock();
      const { connection } = connect(sshd.target({ port, identityFiles: [] }), { prompts, clock });
      await assert.rejects(connection.ready({ mayAsk: true }), { reason: 'auth' });
      await clock.advance(300_000);
      await assert.rejects(connection.ready({ mayAsk: true }), { reason: 'auth' });
      assert.equal(asked.length, 1, 'nobody is asked without having come back');
      answers.secret = 'right';
      connection.retry();
      await connection.ready({ mayAsk: true });
      assert.equal(asked.length, 2);
      assert.match(asked[0] ?? '', /^password .*@127\.0\.0\.1:\d+$/);
      connection.dispose();
      server.close();
    });
});
