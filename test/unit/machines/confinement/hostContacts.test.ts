import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionId } from '../../../../src/base/ids.ts';
import {
  contactText,
  parseContacts,
  refusedHostsNote,
} from '../../../../src/machines/confinement/hostContacts.ts';

const confinement = { network: [], writable: [], sessionId: 's-1' as SessionId };
const record = `allowed\tpypi.org\t443
closed\tpypi.org\t443\t100\t2000
refused\tevil.org\t443\tunlisted
allowed\tpypi.org\t443
closed\tpypi.org\t443\t10\t1000
refused\tevil.org\t443\tunlisted
refused\tnas.lan\t5000\tprivate
allowed\tdata.org\t8443
`;

describe('the hosts that a confined command asked for', () => {
  it('are named once each, with the bytes of their connections', () => {
    assert.deepEqual(parseContacts(record).map(contactText), [
      'pypi.org, 110 B sent, 3 kB received',
      'evil.org, refused: not on the list of hosts',
      'nas.lan:5000, refused: a private address',
      'data.org:8443, no finished connection',
    ]);
  });

  it('are read from complete lines only, and are at most 500', () => {
    const lines = [
      'x',
      'allowed\ta b\t80',
      'refused\ta.org\t80\t\u001b[2J',
      'allowed\ta.org\t',
      '',
    ];
    assert.deepEqual(parseContacts(lines.join('\n')), []);
    const many = Array.from({ length: 600 }, (_, index) => `allowed\th${index}.org\t80`);
    assert.equal(parseContacts(many.join('\n')).length, 500);
  });

  it('are in a note where they were refused, with the place where the user adds them', () => {
    const listedIn = 'hosts in /h/mandates/lm.json';
    assert.equal(
      refusedHostsNote({ ...confinement, listedIn }, parseContacts(record)),
      'The confinement refused connections to evil.org, nas.lan:5000 (a private address). The user can add them to hosts in /h/mandates/lm.json.',
    );
    assert.equal(refusedHostsNote(confinement, parseContacts('allowed\ta.org\t80')), undefined);
    const many = Array.from({ length: 30 }, (_, index) => `refused\th${index}.org\t80\tunlisted`);
    assert.match(
      refusedHostsNote(confinement, parseContacts(many.join('\n'))) ?? '',
      /h19\.org and 10 more\. /,
    );
  });
});
