import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'mocha';
import { confineScript } from '../../../../src/machines/confinement/confine.ts';
import { isGrantedHost } from '../../../../src/permissions/mandate/mandate.ts';
import type { SessionId } from '../../../../src/base/ids.ts';

const script = resolve('src/machines/confinement/proxy.py');
const somewhere = '93.184.216.34';

interface Case {
  readonly hosts: readonly string[];
  /** Addresses of each name, of each time that it is asked for. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Each part is sent after the answer to the one before. */
  readonly request: readonly string[];
  readonly tunnel?: string;
  readonly limits?: Readonly<Record<string, number>>;
}
interface Tried {
  readonly answer: string;
  readonly got: readonly string[];
  readonly places: readonly string[];
  readonly record: readonly string[];
}

function tried(cases: readonly Case[], env: Readonly<Record<string, string>> = {}): Tried[] {
  const input = JSON.stringify(cases.map((one) => ({ names: {}, ...one })));
  const { stdout, stderr } = spawnSync('python3', [resolve('test/fakes/proxyBed.py'), script], {
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
    timeout: 120_000,
  });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as Tried[];
}
function one(asked: Case, env?: Readonly<Record<string, string>>): Tried {
  const [result] = tried([asked], env);
  assert.ok(result);
  return result;
}
const connect = (place: string): string[] => [`CONNECT ${place} HTTP/1.1\r\n\r\n`, 'hello'];

describe('the proxy of confined commands', function () {
  this.timeout(180_000);

  it('allows what is listed, and agrees with the mandate on names', () => {
    const hosts = ['pypi.org', '*.hf.co', 'Data.Example.org:8443', '[2606:4700::1]', '1.2.3.4'];
    const asked: readonly (readonly [string, boolean])[] = [
      ['pypi.org:443', true],
      ['PyPI.org.:443', true],
      ['pypi.org:80', true],
      ['pypi.org:22', false],
      ['pypi.org:8443', false],
      ['a.pypi.org:443', false],
      ['pypi.org.evil.org:443', false],
      ['xpypi.org:443', false],
      ['cdn.hf.co:443', true],
      ['a.b.hf.co:443', true],
      ['hf.co:443', false],
      ['evilhf.co:443', false],
      ['data.example.org:8443', true],
      ['data.example.org:443', false],
      ['[2606:4700::1]:443', true],
      ['1.2.3.4:443', true],
      ['1.2.3.5:443', false],
      ['16909060:443', false],
    ];
    const results = tried(
      asked.map(([place]) => {
        const name = place.slice(0, place.lastIndexOf(':')).toLowerCase();
        const plain = name.replace(/^\[|\]$|\.$/g, '');
        return { hosts, names: { [plain]: [[somewhere]] }, request: connect(place) };
      }),
    );
    for (const [index, [place, isAllowed]] of asked.entries()) {
      assert.equal(results[index]?.places.length, isAllowed ? 1 : 0, place);
      assert.match(results[index]?.record[0] ?? '', isAllowed ? /^allowed\t/ : /\tunlisted$/);
      const isUsual = /:443$/.test(place) && place !== 'data.example.org:443';
      if (isUsual && !place.startsWith('['))
        assert.equal(isGrantedHost(place, hosts), isAllowed, place);
    }
  });

  it('says which host is not listed, and where to add it', () => {
    const { answer, record } = one({ hosts: ['a.org'], request: connect('evil.org:443') });
    assert.match(answer, /^HTTP\/1\.1 403 Helios: evil\.org is not on the list of hosts/);
    assert.match(answer, /\r\n\r\nHelios: evil\.org is not .*\. Add it to the list\.\n$/);
    assert.deepEqual(record, ['refused\tevil.org\t443\tunlisted']);
  });

  it('refuses addresses of the machine, its network and its cloud, unless that very port is listed', () => {
    const addresses = [
      ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '0.0.0.0'],
      ...['224.0.0.1', '255.255.255.255', '::1', '::', 'fd00::1', 'ff02::1', '::ffff:10.0.0.1'],
      ...['64:ff9b::a00:1', '2002:a00:1::', '2001:0:a00:1::1', '::10.0.0.1'],
    ];
    const clouds = [
      ...['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fe80::1'],
      ...['fd00:ec2::254', '::ffff:169.254.169.254', 'fe80::1%eth0'],
    ];
    const cases = [...addresses, ...clouds].flatMap((address) =>
      ['x.org', 'x.org:80'].map((entry) => ({
        hosts: [entry, '*.org'],
        names: { 'x.org': [[address]] },
        request: connect('x.org:80'),
      })),
    );
    const results = tried(cases);
    for (const [index, { names, hosts }] of cases.entries()) {
      const address = names['x.org'][0]?.[0] ?? '';
      const isAllowed = hosts[0] === 'x.org:80' && !clouds.includes(address);
      assert.equal(results[index]?.places.length, isAllowed ? 1 : 0, `${hosts[0]} ${address}`);
      if (!isAllowed) assert.match(results[index]?.record[0] ?? '', /\tprivate$/);
    }
    const [literal, other] = tried(
      ['169.254.169.254:80', '169.254.169.254'].map((entry) => ({
        hosts: [entry],
        names: { '169.254.169.254': [['169.254.169.254']] },
        request: connect('169.254.169.254:80'),
      })),
    );
    assert.equal(literal?.places.length, 1);
    assert.match(other?.answer ?? '', /has a private address\. If it is meant, add 169\.254\.169/);
  });

  it('connects to the address that it has judged, whatever the name leads to later', () => {
    const names = { 'rebind.org': [[somewhere, '10.0.0.1'], ['127.0.0.1']] };
    const { places, record } = one({
      hosts: ['rebind.org'],
      names,
      request: connect('rebind.org:80'),
    });
    assert.deepEqual(places, [`${somewhere}:80`]);
    assert.deepEqual(record, ['allowed\trebind.org\t80', 'closed\trebind.org\t80\t5\t25']);
  });

  it('sends one request for a URL to the host of that URL alone', () => {
    const names = { 'a.org': [[somewhere]], 'evil.org': [[somewhere]] };
    const ask = (line: string): Case => ({
      hosts: ['a.org'],
      names,
      request: [`${line} HTTP/1.1\r\nHost: evil.org\r\nProxy-Authorization: x\r\nA: b\r\n\r\n`],
    });
    const [plain, user, question, backslash, other] = tried(
      [
        'GET http://a.org/x?y',
        'GET http://u:p@a.org/x',
        'GET http://evil.org?@a.org/x',
        'GET http://evil.org\\@a.org/x',
        'GET /x',
      ].map(ask),
    );
    const sent = 'HTTP/1.1\r\nHost: a.org\r\nA: b\r\nConnection: close\r\n\r\n';
    assert.deepEqual(plain?.got, [`GET /x?y ${sent}`]);
    for (const each of [user, question, backslash]) assert.deepEqual(each?.got, [`GET /x ${sent}`]);
    assert.match(other?.answer ?? '', /^HTTP\/1\.1 400 /);
  });

  it('passes through the proxy of the machine, which opens the tunnel or gets nothing more', () => {
    const env = { https_proxy: 'http://u:p%40@proxy.corp:3128', no_proxy: 'direct.org' };
    const ask = (place: string, tunnel: string): Case => ({
      hosts: ['a.org', 'direct.org', 'inner.org'],
      names: { 'direct.org': [[somewhere]], 'inner.org': [['10.0.0.1']] },
      request: connect(place),
      ...(tunnel && { tunnel }),
    });
    const [open, refused, direct, inner, unlisted] = tried(
      [
        ask('a.org:443', 'HTTP/1.1 200 ok\r\n\r\n'),
        ask('a.org:443', 'HTTP/1.1 407 no\r\n\r\n'),
        ask('direct.org:443', ''),
        ask('inner.org:443', ''),
        ask('evil.org:443', ''),
      ],
      env,
    );
    assert.deepEqual(open?.places, ['proxy.corp:3128']);
    assert.equal(
      open.got.join('|'),
      `CONNECT a.org:443 HTTP/1.1\r\nHost: a.org:443\r\nProxy-Authorization: Basic ${btoa('u:p@')}\r\n\r\n|hello`,
    );
    assert.match(refused?.answer ?? '', /^HTTP\/1\.1 502 .*could not be reached/);
    assert.equal(refused?.got.filter(Boolean).length, 1);
    assert.deepEqual(direct?.places, [`${somewhere}:443`]);
    for (const each of [inner, unlisted]) assert.deepEqual(each?.places, []);
  });

  it('refuses further hosts when it cannot record more', () => {
    const names = { 'a.org': [[somewhere]] };
    const limits = { max_seen: 0 };
    const { places, record } = one({
      hosts: ['a.org'],
      names,
      limits,
      request: connect('a.org:80'),
    });
    assert.deepEqual([places, record], [[], ['refused\ta.org\t80\tmany']]);
  });

  it('is a part of the script, with the hosts that are valid', () => {
    const text = readFileSync(script, 'utf8');
    assert.ok(!text.includes("'"), 'a single quote would be quoted again by each shell');
    const confinement = {
      network: ['a.org', 'b\nc', 'd e'],
      writable: [],
      sessionId: 's' as SessionId,
    };
    const place = { kind: 'local', runsFolder: '/h/runs' } as const;
    assert.match(confineScript(place, confinement), /^hosts='?a\.org'?$/m);
  });
});
