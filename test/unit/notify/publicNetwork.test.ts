import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Agent } from 'undici';
import { NotifyFailure } from '../../../src/notify/channel.ts';
import { publicNetwork } from '../../../src/notify/publicNetwork.ts';

const refused =
  /is in a private network or on this computer, and a project cannot send there: declare the channel in your own notification settings\.$/;

describe('the network of a channel of a project', () => {
  let opened = 0;
  const network = publicNetwork({
    openDispatcher: (lookup) => {
      opened += 1;
      return Promise.resolve(new Agent({ connect: { lookup } }));
    },
    resolve: (name) =>
      Promise.resolve([
        { address: '203.0.114.7', family: 4 },
        ...(name === 'rebinding.test' ? [{ address: '10.0.0.1', family: 4 }] : []),
      ]),
  });

  const hosts = [
    '127.0.0.1',
    'localhost',
    '10.1.2.3',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '[::1]',
    '[fe80::1]',
    '[fd00::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    'printer',
    'nas.local',
    'metadata.google.internal',
    'rebinding.test',
  ];
  for (const host of hosts)
    it(`refuses ${host}`, async () => {
      const isRefused = (error: unknown): boolean =>
        error instanceof NotifyFailure &&
        error.reason === 'settings' &&
        refused.test(error.message);
      await assert.rejects(network.fetch(`http://${host}/`), isRefused);
      const name = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '');
      await assert.rejects(network.addressOf(name), isRefused);
      assert.equal(opened, 0, 'nothing was opened');
    });

  it('refuses a name and a password in the address', async () => {
    await assert.rejects(network.fetch('http://a:b@ntfy.sh/'), { reason: 'settings' });
  });

  it('connects to the address that was checked', async () => {
    assert.equal(await network.addressOf('mail.lab.test'), '203.0.114.7');
    assert.equal(await network.addressOf('203.0.114.9'), '203.0.114.9');
  });
});
