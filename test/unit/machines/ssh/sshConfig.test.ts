import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { hostAliases } from '../../../../src/machines/ssh/configFile.ts';
import { resolveHost, type SshConfigOptions } from '../../../../src/machines/ssh/sshConfig.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('ssh configuration', () => {
  const folder = scratchFolder();

  function configured(text: string, included: Record<string, string> = {}): SshConfigOptions {
    mkdirSync(join(folder(), '.ssh/conf.d'), { recursive: true });
    const configFile = join(folder(), '.ssh/config');
    writeFileSync(configFile, text, { mode: 0o600 });
    for (const [name, content] of Object.entries(included))
      writeFileSync(join(folder(), '.ssh', name), content);
    return { configFile, homeFolder: folder(), localUser: 'me', agents: ['/agent'] };
  }

  const text = [
    'Host gpu? !gpu9   # the cluster',
    '  HostName %h.example.org',
    '  User ada',
    '  IdentityFile ~/.ssh/cluster_key',
    '  IdentityFile "/keys/with space"',
    '  ProxyJump jump@gate:2200',
    'Host gate',
    '  HostName=10.0.0.1',
    'Host *',
    '  User nobody',
    '  Port 2022',
    '  IdentityAgent none',
  ].join('\n');

  for (const [who, sshProgram] of [
    ['OpenSSH', 'ssh'],
    ['our own reader', null],
  ] as const)
    it(`is resolved by ${who}: first value wins, patterns, tokens, jumps`, async () => {
      const options = { ...configured(text), sshProgram };
      const gpu1 = await resolveHost({ host: 'gpu1' }, options);
      assert.equal(gpu1.host, 'gpu1.example.org');
      assert.equal(gpu1.user, 'ada');
      assert.equal(gpu1.port, 2022);
      // OpenSSH does not print quotes, so what it says of names with spaces can be read in one way
      // only.
      assert.deepEqual(gpu1.identityFiles, [
        join(folder(), '.ssh/cluster_key'),
        '/keys/with space',
      ]);
      assert.deepEqual(gpu1.agents, []);
      assert.deepEqual(
        gpu1.proxyJump.map(({ host, port, user }) => ({ host, port, user })),
        [{ host: '10.0.0.1', port: 2200, user: 'jump' }],
      );
      const gpu9 = await resolveHost({ host: 'gpu9', user: 'eve', port: 5 }, options);
      assert.deepEqual([gpu9.host, gpu9.user, gpu9.port, gpu9.proxyJump], ['gpu9', 'eve', 5, []]);
    });

  it('reads included files where they are named, and lists names that can be connected to', async () => {
    const options = configured(
      'Include conf.d/*.conf nothing*\nHost own *.org !x\n Port 1\nMatch all\n User all\n',
      {
        'conf.d/a.conf': 'Host first second\n  Port 11\n',
        'conf.d/b.conf': 'Host second third\n  Port 12\n',
        'conf.d/ignored': 'Host fourth\n',
      },
    );
    assert.deepEqual(await hostAliases(options), ['first', 'second', 'third', 'own']);
    const second = await resolveHost({ host: 'second' }, { ...options, sshProgram: null });
    assert.deepEqual([second.port, second.user], [11, 'all']);
  });

  it('needs no configuration and no OpenSSH', async () => {
    const options = {
      configFile: join(folder(), 'none'),
      homeFolder: folder(),
      localUser: 'me',
      agents: [],
    };
    const expected = { host: 'h', port: 22, user: 'me', agents: [] };
    for (const sshProgram of ['ssh', '/no/such/ssh', null]) {
      const { host, port, user, agents } = await resolveHost(
        { host: 'h' },
        { ...options, sshProgram },
      );
      assert.deepEqual({ host, port, user, agents }, expected);
    }
    assert.deepEqual(await hostAliases(options), []);
  });

  for (const sshProgram of ['ssh', null])
    it(`gives a ProxyCommand what it asks for, with ${sshProgram ?? 'our own reader'}`, async () => {
      const options = configured(
        'Host a\n HostName a.example.org\n User ada\n Port 2200\n ProxyCommand nc -X "5" %h %p # %r %n %%\n' +
          'Host b\n ProxyJump a,c\nHost c\n ProxyJump a\n',
      );
      const resolved = (host: string) => resolveHost({ host }, { ...options, sshProgram });
      assert.equal((await resolved('a')).proxyCommand, 'nc -X "5" a.example.org 2200 # ada a %');
      const { proxyJump, proxyCommand } = await resolved('b');
      assert.equal(proxyCommand, undefined);
      assert.deepEqual(
        proxyJump.map((hop) => [hop.host, hop.proxyCommand !== undefined, hop.proxyJump.length]),
        [
          ['a.example.org', true, 0],
          ['c', false, 0],
        ],
      );
    });

  it('says what it cannot use', async () => {
    const options = configured(
      'Host a\n ProxyCommand nc %h\n ProxyUseFdpass yes\nHost loop\n ProxyJump loop\nHost b\n ProxyCommand nc %h\n' +
        ' HostName a;id\nHost *\n Port 22\n',
    );
    await assert.rejects(resolveHost({ host: 'a' }, options), {
      reason: 'unreachable',
      message: /ProxyUseFdpass/,
    });
    await assert.rejects(resolveHost({ host: 'b' }, { ...options, sshProgram: null }), {
      message: /not allowed in a ProxyCommand/,
    });
    await assert.rejects(resolveHost({ host: 'loop' }, { ...options, sshProgram: null }), {
      message: /too many/,
    });
    await assert.rejects(resolveHost({ host: '-oProxyCommand=x' }, options), {
      message: /is not a host/,
    });
    await assert.rejects(resolveHost({ host: 'h' }, configured('Prot 22\n')), {
      message: /is invalid/,
    });
  });

  it('leaves to OpenSSH what only it can judge, and does not share the connections of others', async () => {
    const options = configured(
      'Match host h exec "test -e /proc"\n User matched\nHost *\n ControlMaster auto\n ControlPath /nowhere/%C\n User other\n',
    );
    assert.equal((await resolveHost({ host: 'h' }, options)).user, 'matched');
    assert.equal(
      (await resolveHost({ host: 'h' }, { ...options, sshProgram: null })).user,
      'other',
    );
  });
});
