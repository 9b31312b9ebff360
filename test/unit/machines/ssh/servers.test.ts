import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { MachineFailure } from '../../../../src/machines/machine.ts';
import { resolveHost, type SshTarget } from '../../../../src/machines/ssh/sshConfig.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';
import { procFolder } from '../../../setup/proc.ts';

describe('hosts as they are met', () => {
  const folder = scratchFolder();
  const owned: { dispose(): void | Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of owned.splice(0).reverse()) await one.dispose();
  });

  async function server(...args: Parameters<typeof TestSshd.start>): Promise<TestSshd> {
    const sshd = await TestSshd.start(...args);
    owned.push(sshd);
    return sshd;
  }

  function machineAt(target: SshTarget, through?: SshConnection): SshMachine {
    const parts = { ...scriptedPrompts(), random: () => 0, ...(through && { through }) };
    const connection = new SshConnection(target, parts);
    const machine = new SshMachine({ id: 'gpu1', connection, homeFolder: folder() });
    owned.push(connection, machine);
    return machine;
  }

  const say = async (machine: SshMachine, command: string): Promise<string> =>
    (await machine.exec(command, { cwd: '/' })).stdout.trim();

  it('read their start-up files once, and nothing of their noise is taken for output', async () => {
    const sshd = await server(['PrintMotd yes', 'Banner /etc/hostname']);
    writeFileSync(
      join(sshd.folder, 'home/.bashrc'),
      'echo Welcome; echo "quota 93 %" >&2; echo x >>~/reads; cd /tmp; export FROM_RC=1\n',
    );
    const machine = machineAt(sshd.target());
    const { stdout, stderr } = await machine.exec('pwd; echo "$FROM_RC"', { cwd: '/' });
    assert.deepEqual([stdout, stderr], ['/\n1\n', '']);
    assert.equal(readFileSync(join(sshd.folder, 'home/reads'), 'utf8'), 'x\n');
  });

  it('get commands of any length', async () => {
    const machine = machineAt((await server()).target());
    const word = "it's ä ".repeat(8000);
    const { stdout } = await machine.exec(`cat - <<'END'\n${word}\nEND\nprintf %s "$LR"`, {
      cwd: '/',
      env: { LR: "3'e" },
    });
    assert.equal(stdout, `${word}\n3'e`);
    const sum = await machine.exec(`# ${'x'.repeat(50_000)}\nwc -c`, {
      cwd: '/',
      stdin: 'abc\ndef\n',
    });
    assert.equal(sum.stdout.trim(), '8');
    await assert.rejects(machine.exec('x'.repeat(200_000), { cwd: '/' }), {
      reason: 'io',
      message: /too long/,
    });
  });

  it('that have no commands for us are told of as what they are', async () => {
    const machine = machineAt((await server(['ForceCommand internal-sftp'])).target());
    await assert.rejects(machine.exec('true', { cwd: '/' }), {
      reason: 'denied',
      message: /does not run commands/,
    });
    await assert.rejects(machine.query('echo'), {
      reason: 'denied',
      message: /does not run commands/,
    });
  });

  it('that know only old algorithms are named with them', async () => {
    for (const [line, pattern] of [
      ['KexAlgorithms diffie-hellman-group1-sha1', /KEX.* diffie-hellman-group1-sha1/],
      ['Ciphers 3des-cbc', /cipher 3des-cbc/i],
      ['MACs hmac-md5-96', /MAC.* hmac-md5-96/],
    ] as const) {
      const machine = machineAt((await server([line, 'Ciphers aes128-ctr'])).target());
      await assert.rejects(machine.exec('true'), { reason: 'unreachable', message: pattern });
      await assert.rejects(machine.exec('true'), {
        message: /insecure algorithms.*Update its SSH server/,
      });
    }
  });

  it('are reached at IPv6 addresses', async () => {
    const sshd = await server([], { address: '::1' });
    assert.equal(await say(machineAt(sshd.target()), 'echo six'), 'six');
    assert.match(readFileSync(sshd.knownHosts, 'utf8'), /^\[::1\]:\d+ /);
  });

  it('may take their time to greet us', async () => {
    const sshd = await server();
    const clock = new ManualClock();
    let greetings = 0;
    const slow = createServer((socket) => {
      const far = connect(sshd.port, '127.0.0.1');
      for (const each of [socket, far]) each.on('error', () => undefined);
      void clock.advance(14_000).then(() => {
        greetings += 1;
        far.pipe(socket).pipe(far);
      });
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    owned.push({ dispose: () => void slow.close() });
    const { port } = slow.address() as { port: number };
    writeFileSync(
      sshd.knownHosts,
      readFileSync(sshd.knownHosts, 'utf8').replace(/:\d+ /, `:${port} `),
    );
    const connection = new SshConnection(sshd.target({ port }), { ...scriptedPrompts(), clock });
    owned.push(connection);
    await connection.ready();
    assert.equal(greetings, 1);
  });

  it('behind two others come back when one on the way dies', async () => {
    const [first, second, far] = [await server(), await server(), await server()];
    const hop1 = new SshConnection(first.target(), { ...scriptedPrompts(), random: () => 0 });
    const hop2 = new SshConnection(second.target(), {
      ...scriptedPrompts(),
      random: () => 0,
      through: hop1,
    });
    owned.push(hop1, hop2);
    const machine = machineAt(far.target(), hop2);
    assert.equal(await say(machine, 'echo far'), 'far');
    const running = machine.exec('sleep 60', { cwd: '/' });
    running.catch(() => undefined);
    await second.stop();
    await assert.rejects(running, { reason: 'unreachable' });
    await until('the way is found to be closed', () =>
      say(machine, 'true').then(
        () => false,
        (error: unknown) =>
          error instanceof MachineFailure &&
          error.reason === 'unreachable' &&
          /cannot connect to it/.test(error.message),
      ),
    );
    await second.start();
    await until(
      'it is back',
      async () => (await say(machine, 'echo again').catch(() => '')) === 'again',
    );
    assert.deepEqual([first.logins, second.logins, far.logins], [1, 2, 2]);
  });

  describe('by a ProxyCommand', () => {
    let gate: TestSshd;
    let far: TestSshd;
    before(async () => {
      gate = await TestSshd.start();
      far = await TestSshd.start();
    });
    after(async () => {
      await gate.dispose();
      await far.dispose();
    });

    async function proxied(command: string): Promise<SshMachine> {
      mkdirSync(join(folder(), '.ssh'), { recursive: true });
      const configFile = join(folder(), '.ssh/config');
      writeFileSync(
        configFile,
        `Host far\n HostName 127.0.0.1\n Port ${far.port}\n ProxyCommand ${command}\n`,
      );
      const options = {
        configFile,
        homeFolder: folder(),
        localUser: userInfo().username,
        agents: [],
      };
      const { identityFiles, knownHostsFiles } = far.target();
      return machineAt({
        ...(await resolveHost({ host: 'far' }, options)),
        identityFiles,
        knownHostsFiles,
      });
    }
    const ssh = (): string =>
      `ssh -F none -q -o BatchMode=yes -o UserKnownHostsFile=${gate.knownHosts} -i ${gate.folder}/key -p ${gate.port} 127.0.0.1 -W %h:%p`;

    it('are reached, and the program ends with the connection', async () => {
      const machine = await proxied(ssh());
      assert.equal(await say(machine, 'echo through'), 'through');
      assert.equal(gate.logins, 1);
      const programs = (): string[] =>
        commandLines().filter((line) => line.includes(`-i ${gate.folder}/key`));
      assert.equal(programs().length, 1);
      gate.cut();
      await until(
        'it is back',
        async () => (await say(machine, 'echo again').catch(() => '')) === 'again',
      );
      machine.connection.dispose();
      await until('nothing is left', () => programs().length === 0);
    });

    it('say what the program said when it failed', async () => {
      const machine = await proxied(`sh -c 'echo "no token: run tunnel login" >&2; exit 7'`);
      await assert.rejects(say(machine, 'true'), {
        reason: 'unreachable',
        message: /ProxyCommand ended \(code 7\): <untrusted[^>]*>no token: run tunnel login</,
      });
      const absent = await proxied('/no/such/program %h');
      await assert.rejects(say(absent, 'true'), {
        reason: 'unreachable',
        message: /ProxyCommand ended.*no\/such/,
      });
    });
  });
});

function commandLines(): string[] {
  const pids = readdirSync(procFolder).filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => {
    try {
      return readFileSync(`${procFolder}/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  });
}
