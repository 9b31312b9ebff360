import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { checkHost, hostOf, isPublicAddress, parseAddress } from '../../../src/web/addresses.ts';
import { WebFailure } from '../../../src/web/webFailure.ts';

const isAddressFailure = (error: unknown): boolean =>
  error instanceof WebFailure && error.reason === 'address';

const refusedOf = (url: string): void => checkHost(hostOf(parseAddress(url)));

describe('addresses of the web', () => {
  const privateOnes = [
    ...[
      '127.0.0.1',
      '127.8.8.8',
      '0.0.0.0',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
    ],
    ...[
      '169.254.169.254',
      '100.64.0.1',
      '100.100.100.200',
      '192.0.0.192',
      '168.63.129.16',
      '198.18.0.1',
    ],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.7'],
    ...[
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd00:ec2::254',
      'fec0::1',
      'ff02::1',
      '2001:db8::1',
    ],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:a9fe:a9fe',
      '::127.0.0.1',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::10.0.0.1',
    ],
    ...['2002:7f00:1::', '2001:0:7f00:1::', '100::1', 'nonsense', ''],
    ...['::7f00:1', '::a9fe:a9fe', '::ffff:0:7f00:1', '4000::1', '1fff::1', '5f00::1', 'e000::1'],
    '3fff::1',
  ];
  for (const address of privateOnes)
    it(`knows that ${address || 'nothing'} is not public`, () =>
      assert.equal(isPublicAddress(address), false));

  for (const address of [
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '::808:808',
    '2a00:1450:4001:80b::200e',
    '3ffe:ffff::1',
  ])
    it(`knows that ${address} is public`, () => assert.equal(isPublicAddress(address), true));

  for (const url of [
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST:8080/',
    'http://api.localhost/',
    'http://printer/',
    'http://nas.local/',
    'http://metadata.google.internal/',
    'http://127.0.0.1./',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://①②⑦.0.0.1/',
    'http://[::1]/',
    'http://[::127.0.0.1]/',
    'http://[4000::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]/',
  ])
    it(`refuses ${url}`, () => assert.throws(() => refusedOf(url), isAddressFailure));

  for (const url of [
    'file:///etc/passwd',
    'ftp://example.org/',
    'data:text/html,hello',
    'javascript:alert(1)',
    'not a url',
    '//example.org',
    'http://user:password@example.org/',
    'http://127.0.0.1@example.org/',
    'http://',
  ])
    it(`does not take ${url}`, () => assert.throws(() => parseAddress(url), isAddressFailure));

  it('takes what is public', () => {
    for (const url of [
      'https://arxiv.org/abs/1706.03762',
      'http://8.8.8.8/',
      'https://example.org./a b',
    ])
      assert.doesNotThrow(() => refusedOf(url));
  });
});
