import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { approvalsAt } from '../../../../src/compose/approvals.ts';
import type { Access } from '../../../../src/permissions/access.ts';
import { asks, safe } from '../../../../src/permissions/commands/verdicts/verdict.ts';
import {
  approvalId,
  type Approval,
  type CommandGrant,
  type CommandNeed,
} from '../../../../src/permissions/grants/grant.ts';
import { createGrants, type Coverage } from '../../../../src/permissions/grants/grants.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const pip: CommandGrant = {
  kind: 'command',
  machineId: 'm',
  folder: '/w',
  words: ['pip', 'install'],
};
const test: CommandGrant = { kind: 'command', machineId: 'm', folder: '/w', words: ['pytest'] };

/** An access of a command on machine `m` that needs the consents. */
const command = (...needs: readonly CommandNeed[]): Access => ({
  kind: 'command',
  machineId: 'm',
  command: 'x',
  verdict: { ...asks('runs code', ''), needs },
});
const installs = command({ grant: pip, widest: 'always' });
const tests = command({ grant: test, widest: 'workspace' });

describe('consents beyond one call', () => {
  const home = scratchFolder();
  const grantsIn = (workspace = '/w', session: Approval[] = []) => {
    const grants = createGrants({
      file: approvalsAt(home()),
      workspace: () => Promise.resolve(workspace),
      folderOf: ({ path }) => Promise.resolve(path.startsWith('/w/') ? '/w' : undefined),
      ofSession: () => session,
      allowedTools: ['kept'],
    });
    return {
      session,
      cover: (...accesses: readonly Access[]): Promise<Coverage> =>
        grants.cover({ tool: 'remote_exec', accesses }),
      async isCovered(...accesses: readonly Access[]): Promise<boolean> {
        return (await this.cover(...accesses)).isCovered;
      },
      async allow(scope: Approval['scope'], ...accesses: readonly Access[]): Promise<void> {
        const coverage = await this.cover(...accesses);
        assert.ok(!coverage.isCovered && coverage.offer.scopes.includes(scope));
        const approvals = await coverage.remember(scope);
        if (scope === 'session') session.push(...approvals);
      },
    };
  };

  it('cover a call only if each of its parts has one', async () => {
    const grants = grantsIn();
    await grants.allow('session', installs);
    assert.equal(await grants.isCovered(installs), true);
    assert.equal(await grants.isCovered(installs, tests), false);
    assert.equal(await grants.isCovered(command()), false);
    await grants.allow('session', installs, tests);
    assert.equal(await grants.isCovered(tests), true);
    assert.equal(grants.session.length, 2, 'only what was missing is stored');
  });

  it('for the session are no file of the user', async () => {
    await grantsIn().allow('session', installs);
    assert.deepEqual(await approvalsAt(home()).list(), []);
    assert.equal(await grantsIn().isCovered(installs), false);
  });

  it('for a workspace count in this folder alone, and on this machine', async () => {
    await grantsIn('/w').allow('workspace', installs);
    assert.equal(await grantsIn('/w').isCovered(installs), true);
    assert.equal(await grantsIn('/other').isCovered(installs), false);
    const elsewhere: Access = { ...installs, machineId: 'gpu1' } as Access;
    assert.equal(await grantsIn('/w').isCovered(elsewhere), false);
    const inside = command({ grant: { ...pip, folder: '/w/src' }, widest: 'always' });
    assert.equal(await grantsIn('/w').isCovered(inside), false);
  });

  it('for always count in every folder, but not for what may run code of a folder', async () => {
    await grantsIn('/w').allow('always', installs);
    const inside = command({ grant: { ...pip, folder: '/other' }, widest: 'always' });
    assert.equal(await grantsIn('/other').isCovered(inside), true);
    assert.equal(
      await grantsIn('/w').isCovered(command({ grant: pip, widest: 'workspace' })),
      false,
    );
    const both = await grantsIn().cover(installs, tests);
    assert.ok(!both.isCovered);
    assert.deepEqual(both.offer.scopes, ['session', 'workspace']);
    assert.deepEqual(both.offer.label, 'pytest');
  });

  it('are not offered where a part cannot be bounded', async () => {
    const unknown: Access = {
      ...installs,
      kind: 'command',
      verdict: asks('runs code', ''),
    } as Access;
    for (const accesses of [[unknown], [installs, unknown]]) {
      const coverage = await grantsIn().cover(...accesses);
      assert.ok(!coverage.isCovered);
      assert.deepEqual(coverage.offer.scopes, []);
    }
  });

  it('cover writes by their folder, requests by their host, and other calls by their tool', async () => {
    const write = (path: string): Access => ({ kind: 'write', machineId: 'm', path });
    const host: Access = { kind: 'host', host: 'example.org' };
    const grants = grantsIn();
    await grants.allow('session', write('/w/a.py'), host);
    assert.equal(await grants.isCovered(write('/w/b.py'), host), true);
    assert.equal(await grants.isCovered(write('/etc/b.py')), false);
    assert.equal(await grants.isCovered({ kind: 'host', host: 'example.com' }), false);
    assert.equal(await grants.isCovered(), false);
    await grants.allow('session');
    assert.equal(await grants.isCovered(), true);
    assert.equal(await grants.isCovered(tests), false);
    const isSafe: Access = { kind: 'command', machineId: 'm', command: 'ls', verdict: safe };
    assert.equal(await grants.isCovered({ ...isSafe, asArguments: true }, host), true);
    assert.equal(await grants.isCovered(isSafe, host), false);
  });

  it('take a tool that an old journal allows as a whole', async () => {
    const options = { file: approvalsAt(home()), workspace: () => Promise.resolve('/w') };
    const grants = createGrants({
      ...options,
      folderOf: () => Promise.resolve(undefined),
      ofSession: () => [],
      allowedTools: ['remote_exec'],
    });
    const covers = async (tool: string, approvedAs?: string) =>
      (await grants.cover({ tool, accesses: [tests], ...(approvedAs && { approvedAs }) }))
        .isCovered;
    assert.equal(await covers('remote_exec'), true);
    assert.equal(await covers('sleep', 'remote_exec'), true);
    assert.equal(await covers('write_file'), false);
  });

  describe('in the file of the user', () => {
    const file = (): string => join(home(), 'approvals.json');

    it('are readable by the user alone, and can be revoked', async () => {
      await grantsIn().allow('workspace', installs);
      assert.equal(statSync(file()).mode & 0o777, 0o600);
      const [stored = assert.fail()] = await approvalsAt(home()).list();
      assert.deepEqual(stored, { scope: 'workspace', workspace: '/w', grant: pip });
      assert.deepEqual(await approvalsAt(home()).revoke(approvalId(stored)), stored);
      assert.equal(await approvalsAt(home()).revoke(approvalId(stored)), undefined);
      assert.equal(await grantsIn().isCovered(installs), false);
    });

    it('are stored once each, also by two calls at the same time', async () => {
      const approvals = approvalsAt(home());
      const given = (grant: CommandGrant): Approval => ({
        scope: 'workspace',
        workspace: '/w',
        grant,
      });
      await Promise.all([approvals.add([given(pip)]), approvals.add([given(test), given(pip)])]);
      assert.deepEqual(await approvals.list(), [given(test), given(pip)]);
    });

    for (const [what, text] of [
      ['no JSON', '{'],
      ['of another version', '{"version":2,"approvals":[]}'],
      ['with a wildcard', '{"version":1,"approvals":[{"scope":"always","grant":"*"}]}'],
      [
        'for a workspace without its folder',
        `{"version":1,"approvals":[{"scope":"workspace","grant":${JSON.stringify(pip)}}]}`,
      ],
    ] as const)
      it(`count not at all if the file is ${what}, which stays as it is`, async () => {
        writeFileSync(file(), text);
        const coverage = await grantsIn().cover(installs);
        assert.ok(!coverage.isCovered);
        assert.deepEqual(coverage.offer.scopes, ['session']);
        assert.match(
          coverage.offer.problem ?? '',
          /approvals\.json cannot be read \(.+\), so stored approvals are ignored\. Correct the file, or/,
        );
        await assert.rejects(approvalsAt(home()).add([{ scope: 'always', grant: pip }]));
        assert.equal(readFileSync(file(), 'utf8'), text);
      });
  });
});
