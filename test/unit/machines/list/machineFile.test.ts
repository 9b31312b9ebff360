import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import type { MachineEntry } from '../../../../src/machines/machineEntry.ts';
import { MachineFile } from '../../../../src/machines/list/machineFile.ts';
import { writeFileAtomic } from '../../../../src/storage/atomicFile.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const gpu1: MachineEntry = { id: 'gpu1', kind: 'ssh', host: '10.0.0.5', user: 'ada', port: 2222 };
const gpu2: MachineEntry = {
  id: 'gpu2',
  kind: 'ssh',
  alias: 'gpu2',
  auth: 'key',
  keyPath: '~/.ssh/lab',
};

describe('machines.json', () => {
  const folder = scratchFolder();
  const path = (): string => join(folder(), 'home', 'machines.json');
  const file = (): MachineFile =>
    new MachineFile({ path: path(), write: (where, text) => writeFileAtomic(where, text, 0o600) });
  const given = async (content: unknown): Promise<MachineFile> => {
    await writeFileAtomic(
      path(),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
      0o600,
    );
    return file();
  };

  it('holds no machines where there is no file, and makes none by reading', async () => {
    assert.deepEqual(await file().read(), { entries: [], problems: [] });
    assert.ok(!existsSync(path()));
  });

  it('holds settings of this computer under the id local', async () => {
    const local = { id: 'local', kind: 'local', env: { A: 'b' }, prologue: ['true'] };
    const it = await given({ version: 1, machines: [local, gpu1] });
    assert.deepEqual(await it.read(), { entries: [gpu1], local, problems: [] });
    await it.put(gpu2);
    assert.deepEqual((await it.read()).local, local);
    const wrong = [
      { id: 'local', kind: 'ssh', host: 'h' },
      { ...local, env: { 'A B': 'c' } },
      { ...local, prologue: 'true' },
      { id: 'here', kind: 'local' },
    ];
    for (const entry of wrong) {
      const { entries, problems, ...rest } = await (
        await given({ version: 1, machines: [entry, gpu1] })
      ).read();
      assert.deepEqual([entries, rest], [[gpu1], {}]);
      assert.equal(problems.length, 1, JSON.stringify(entry));
    }
    const twice = await (await given({ version: 1, machines: [local, local] })).read();
    assert.match(twice.problems.join(), /"local" appears twice/);
  });

  it('adds, replaces and removes, for its owner only', async () => {
    await file().put(gpu1, gpu2);
    await file().put({ ...gpu1, port: 22 });
    assert.deepEqual(await file().read(), { entries: [{ ...gpu1, port: 22 }, gpu2], problems: [] });
    assert.equal(statSync(path()).mode & 0o777, 0o600);
    assert.equal(await file().remove('gpu1'), true);
    assert.equal(await file().remove('gpu1'), false);
    assert.deepEqual((await file().read()).entries, [gpu2]);
  });

  it('loses no change of several at once', async () => {
    const one = file();
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => one.put({ ...gpu1, id })));
    assert.deepEqual(
      (await one.read()).entries.map(({ id }) => id),
      ['a', 'b', 'c', 'd'],
    );
  });

  it('keeps what it does not know', async () => {
    const other = { id: 'big', kind: 'quantum', qubits: 3 };
    const it = await given({ version: 1, note: 'mine', machines: [{ ...gpu1, rack: 7 }, other] });
    const { entries, problems } = await it.read();
    assert.deepEqual(entries, [{ ...gpu1, rack: 7 }]);
    assert.match(
      problems.join('\n'),
      /machines\.json, line 15: kind: .*ignored until this is fixed\.$/,
    );
    await it.put(gpu2);
    assert.deepEqual(JSON.parse(readFileSync(path(), 'utf8')), {
      version: 1,
      note: 'mine',
      machines: [{ ...gpu1, rack: 7 }, other, gpu2],
    });
  });

  it('keeps comments and layout when it changes', async () => {
    const text = [
      '// The machines of the lab.',
      '{',
      '    "version": 1,',
      '    "machines": [',
      '        // The old one.',
      '        { "id": "gpu1", "kind": "ssh", "host": "10.0.0.5", "user": "ada" }, // Slow.',
      '        /* The new one. */',
      '        {',
      '            "id": "gpu2",',
      '            "kind": "ssh",',
      '            "alias": "gpu2" // See ~/.ssh/config.',
      '        } // Fast.',
      '        // More to come.',
      '    ]',
      '}',
      '',
    ];
    const it = await given(text.join('\n'));
    const now = (): string[] => readFileSync(path(), 'utf8').split('\n');
    const { problems } = await it.read();
    assert.deepEqual(problems, []);

    await it.put({ id: 'gpu1', kind: 'ssh', host: '10.0.0.6', port: 2222 });
    const changed = now();
    assert.deepEqual(changed.slice(0, 5), text.slice(0, 5));
    assert.deepEqual(changed.slice(-9), text.slice(-9));
    assert.ok(changed.join('\n').includes('}, // Slow.'));

    await writeFileAtomic(path(), text.join('\n'), 0o600);
    await it.put({ id: 'gpu3', kind: 'ssh', alias: 'gpu3' });
    const added = [
      '        {',
      '            "id": "gpu3",',
      '            "kind": "ssh",',
      '            "alias": "gpu3"',
      '        }',
    ];
    assert.deepEqual(now(), [
      ...text.slice(0, 11),
      '        }, // Fast.',
      ...added,
      ...text.slice(12),
    ]);

    assert.equal(await it.remove('gpu3'), true);
    assert.deepEqual(now(), text);

    assert.equal(await it.remove('gpu1'), true);
    assert.deepEqual(now(), [...text.slice(0, 4), ...text.slice(6)]);
    assert.equal(await it.remove('gpu2'), true);
    assert.deepEqual(now(), [...text.slice(0, 4), ...text.slice(12)]);
    await it.put(gpu1);
    assert.ok(now().includes('        // More to come.'));
    assert.deepEqual(await it.read(), { entries: [gpu1], problems: [] });
  });

  it('says which name of a machine stands twice, and uses the last', async () => {
    const it = await given(
      '{ "version": 1,\n "machines": [\n {"id": "a", "kind": "ssh", "host": "x",\n "host": "y"}]}',
    );
    const { entries, problems } = await it.read();
    assert.deepEqual(entries, [{ id: 'a', kind: 'ssh', host: 'y' }]);
    assert.match(
      problems.join('\n'),
      /^[^\n]*machines\.json, line 4: host appears twice\. The value on this line is used\.$/,
    );
    await it.put({ id: 'a', kind: 'ssh', host: 'z' });
    assert.deepEqual(await it.read(), {
      entries: [{ id: 'a', kind: 'ssh', host: 'z' }],
      problems: [],
    });
  });

  const broken: [string, string, RegExp][] = [
    [
      'is not JSON',
      '{\n  "version": 1,\n  "machines": [,]\n}\n',
      /line 3: it is not valid JSON: an extra comma, .*\. Fix the file by hand/,
    ],
    [
      'ends too early',
      '{ "version": 1,\n "machines": [\n',
      /line 3: it is not valid JSON: it ends too early/,
    ],
    [
      'ends in a comma too many',
      '{ "version": 1,\n "machines": [],\n}',
      /line 3: .*an extra comma or a missing value before this/,
    ],
    [
      'has its machines twice',
      '{ "version": 1,\n "machines": [],\n "machines": []\n}',
      /line 3: machines appears twice/,
    ],
    ['is a list', '[]', /line 1: it is a list of the original Helios\. To convert it/],
    ['is a text', '"a"', /line 1: expected \{ "version": 1/],
    [
      'is of another version',
      '{\n "machines": [],\n "version": 2 }',
      /line 3: its version is not 1/,
    ],
  ];
  for (const [what, text, message] of broken)
    it(`reports a file that ${what}, and never writes over it`, async () => {
      const it = await given(text);
      const { entries, problems } = await it.read();
      assert.deepEqual(entries, []);
      assert.match(problems.join('\n'), message);
      await assert.rejects(it.put(gpu1), { reason: 'user', message: /machines\.json, line \d/ });
      await assert.rejects(it.remove('gpu1'), { reason: 'user' });
      assert.equal(readFileSync(path(), 'utf8'), text);
    });

  const unusable: [string, Record<string, unknown>, RegExp][] = [
    ['local', { ...gpu1, id: 'local' }, /line 5: id: "local" is this computer/],
    ['a port that is none', { ...gpu1, port: 70_000 }, /line 9: port:/],
    ['an option as host', { ...gpu1, host: '-oProxyCommand=x' }, /line 7: host: .*dash/],
    ['a password', { ...gpu1, password: 'secret' }, /line 10: password: .*not allowed here/],
    ['neither host nor alias', { id: 'x', kind: 'ssh' }, /line 4: host: set either host or alias/],
    ['both host and alias', { ...gpu1, alias: 'gpu1' }, /line 7: host: set either/],
  ];
  for (const [what, entry, message] of unusable)
    it(`leaves out ${what}, and says where`, async () => {
      const { entries, problems } = await (
        await given({ version: 1, machines: [entry, gpu2] })
      ).read();
      assert.deepEqual(entries, [gpu2]);
      assert.match(problems.join('\n'), message);
      assert.doesNotMatch(problems.join('\n'), /secret/);
    });

  it('leaves out the second of an id', async () => {
    const { entries, problems } = await (
      await given({ version: 1, machines: [gpu2, gpu2] })
    ).read();
    assert.deepEqual(entries, [gpu2]);
    assert.match(problems.join('\n'), /line 12: "gpu2" appears twice/);
  });

  it('takes no machine that it could not read again', () => {
    const withPassword = { ...gpu1, password: 'secret' };
    assert.throws(() => file().put(withPassword), { reason: 'user', message: /not allowed here/ });
    assert.ok(!existsSync(path()));
  });

  it('reports a file that cannot be read', async () => {
    const it = new MachineFile({ path: folder(), write: () => Promise.resolve() });
    assert.match(
      (await it.read()).problems.join('\n'),
      /cannot be read: .* Check its permissions\./,
    );
  });

  it('is made for the editor, and left alone where it is', async () => {
    await file().ensure();
    assert.deepEqual(JSON.parse(readFileSync(path(), 'utf8')), { version: 1, machines: [] });
    writeFileSync(path(), 'mine');
    await file().ensure();
    assert.equal(readFileSync(path(), 'utf8'), 'mine');
  });
});
