import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { MachineSecrets } from '../../../../src/compose/machineSecrets.ts';
import { HomeFolders } from '../../../../src/machines/homeFolders.ts';
import type { SecretQuestion } from '../../../../src/machines/machinePrompts.ts';
import { SshConnector } from '../../../../src/machines/ssh/sshConnector.ts';
import { secretText } from '../../../../src/presentation/machines/secretText.ts';
import { PasswordHost, type PasswordHostOptions } from '../../../fakes/passwordHost.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const gateLogin = { user: 'bob', password: 'password of the gate' };
const innerLogin = { user: 'ada', password: 'password of gpu1' };

describe('passwords of hosts on the way to a machine', () => {
  const folder = scratchFolder();
  const owned: { dispose(): void }[] = [];
  afterEach(() => {
    for (const each of owned.splice(0).reverse()) each.dispose();
  });

  const serve = async (options: PasswordHostOptions): Promise<PasswordHost> => {
    const host = await PasswordHost.start(options);
    owned.push(host);
    return host;
  };

  /** Writes the ssh config: `gpu1` is `inner`, reached through `gate`, where there is one. */
  const configure = (inner: PasswordHost, gate?: PasswordHost): void => {
    mkdirSync(join(folder(), '.ssh'), { recursive: true });
    const hosts = gate === undefined ? [inner] : [inner, gate];
    writeFileSync(
      join(folder(), '.ssh/config'),
      inner.config('gpu1', ...(gate ? ['ProxyJump gate'] : [])) + (gate?.config('gate') ?? ''),
    );
    writeFileSync(
      join(folder(), '.ssh/known_hosts'),
      hosts.map(({ knownHost }) => knownHost).join(''),
    );
  };

  /** A window: `answers` are what the user types, in this order; `vault` is what it stores. */
  const openWindow = (vault: Map<string, string>, ...answers: readonly string[]) => {
    const asked: SecretQuestion[] = [];
    const secrets = new MachineSecrets(
      {
        get: (key) => Promise.resolve(vault.get(key)),
        store: (key, value) => Promise.resolve(vault.set(key, value)),
        delete: (key) => Promise.resolve(vault.delete(key)),
      },
      (question) => Promise.resolve(answers[asked.push(question) - 1]),
    );
    const connector = new SshConnector(
      { id: 'gpu1', kind: 'ssh', alias: 'gpu1', auth: 'password' },
      {
        prompts: {
          askSecret: (question, signal) => secrets.answer(question, signal),
          keptSecret: (question) => secrets.kept(question),
          confirmHostKey: () => Promise.resolve(false),
        },
        homes: new HomeFolders(join(folder(), 'homes.json'), () => Promise.resolve()),
        clock: systemClock,
        ssh: {
          configFile: join(folder(), '.ssh/config'),
          homeFolder: folder(),
          localUser: 'eve',
          agents: [],
          sshProgram: null,
        },
      },
    );
    owned.push(connector);
    const connect = async (): Promise<void> => {
      await connector.connect();
      await secrets.reached('gpu1');
    };
    /** Connects as a view does: without the user. */
    const look = (): Promise<unknown> => connector.open();
    return { asked, connect, look };
  };

  it('each go to the host that asked for them, again from another window', async () => {
    const gate = await serve(gateLogin);
    const inner = await serve(innerLogin);
    configure(inner, gate);
    const vault = new Map<string, string>();
    await openWindow(vault, gateLogin.password, innerLogin.password).connect();
    const again = openWindow(vault);
    const problem: unknown = await again.connect().catch((error: unknown) => error);
    assert.deepEqual(gate.received, [gateLogin.password, gateLogin.password]);
    assert.equal(problem, undefined);
    assert.deepEqual(inner.received, [innerLogin.password, innerLogin.password]);
    assert.deepEqual(again.asked, []);
  });

  it('each go to the host that asked for them, also in the background', async () => {
    const gate = await serve(gateLogin);
    const inner = await serve(innerLogin);
    configure(inner, gate);
    const vault = new Map<string, string>();
    await openWindow(vault, gateLogin.password, innerLogin.password).connect();
    const { asked, look } = openWindow(vault);
    await look();
    assert.deepEqual(gate.received, [gateLogin.password, gateLogin.password]);
    assert.deepEqual(inner.received, [innerLogin.password, innerLogin.password]);
    assert.deepEqual(asked, []);
  });

  it('are stored under the login, the port and the key of the host', async () => {
    const gate = await serve(gateLogin);
    const inner = await serve(innerLogin);
    configure(inner, gate);
    const vault = new Map<string, string>();
    const { asked, connect } = openWindow(vault, gateLogin.password, innerLogin.password);
    await connect();
    for (const { address, fingerprint } of [gate, inner])
      assert.ok([...vault.keys()].some((key) => key.includes(`${address} ${fingerprint}`)));
    assert.deepEqual(asked.map(secretText), [
      `Password for ${gate.address}`,
      `Password for ${inner.address}`,
    ]);
  });

  it('are asked anew for another host key, which the user came to trust', async () => {
    const inner = await serve(innerLogin);
    configure(inner);
    const vault = new Map<string, string>();
    await openWindow(vault, innerLogin.password).connect();
    const { port } = inner;
    inner.dispose();
    const other = await serve({ ...innerLogin, password: 'of another host', port });
    configure(other);
    const { asked, connect } = openWindow(vault, 'of another host');
    await connect();
    assert.deepEqual(other.received, ['of another host']);
    assert.equal(asked.length, 1);
  });

  it('quote the text of the server, after the host that sent it', async () => {
    const prompt = 'Enter passphrase for\r\n~/.ssh/id_ed25519” [x](command:y)\u202e: ';
    const gate = await serve({ ...gateLogin, prompts: [prompt, 'Password: '] });
    configure(gate);
    writeFileSync(
      join(folder(), '.ssh/config'),
      gate.config('gpu1', 'PreferredAuthentications keyboard-interactive'),
    );
    const { asked, connect } = openWindow(new Map(), '', gateLogin.password);
    await connect();
    assert.deepEqual(asked.map(secretText), [
      `${gate.address} asks: “Enter passphrase for ~/.ssh/id_ed25519' [x] (command:y):”`,
      `Password for ${gate.address}`,
    ]);
    const [question] = asked;
    assert.ok(question !== undefined);
    assert.ok(secretText({ ...question, prompt: 'x'.repeat(5000) }).length < 200);
  });

  describe('stored by an earlier version', () => {
    const former = 'helios.machine.gpu1.password.';
    const formerVault = (password: string): Map<string, string> =>
      new Map([
        [former, password],
        ['helios.machine.gpu1', JSON.stringify([former])],
      ]);

    it('go to no host, which the entry of the machine may have changed, and are replaced', async () => {
      const inner = await serve(innerLogin);
      configure(inner);
      const vault = formerVault('password of another host');
      const { asked, connect } = openWindow(vault, innerLogin.password);
      await connect();
      assert.equal(asked.length, 1);
      assert.deepEqual(inner.received, [innerLogin.password]);
      assert.equal(vault.has(former), false);
      const key = `helios.ssh.${inner.address} ${inner.fingerprint}.password.`;
      assert.equal(vault.get(key), innerLogin.password);
      assert.equal(vault.get('helios.machine.gpu1'), JSON.stringify([key]));
    });

    it('go to no host of a machine with a jump host, and are deleted', async () => {
      const gate = await serve(gateLogin);
      const inner = await serve(innerLogin);
      configure(inner, gate);
      const vault = formerVault(innerLogin.password);
      const { asked, connect } = openWindow(vault, gateLogin.password, innerLogin.password);
      await connect();
      assert.equal(asked.length, 2);
      assert.deepEqual(gate.received, [gateLogin.password]);
      assert.equal(vault.has(former), false);
      assert.equal(vault.get('helios.machine.gpu1')?.includes(former), false);
    });
  });
});
