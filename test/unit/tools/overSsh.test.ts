import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import { SshConnection } from '../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../src/machines/ssh/sshMachine.ts';
import { patchFile } from '../../../src/tools/files/patchFile.ts';
import { readFile } from '../../../src/tools/files/readFile.ts';
import { remoteDownload } from '../../../src/tools/machines/remoteDownload.ts';
import { remoteUpload } from '../../../src/tools/machines/remoteUpload.ts';
import { writeFile } from '../../../src/tools/files/writeFile.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../fakes/sshd.ts';
import { answer, call, toolContext } from './machineTools.harness.ts';

describe('file tools over SSH', () => {
  const folder = scratchFolder();
  const path = (name: string): string => join(folder(), name);
  let sshd: TestSshd;
  let connection: SshConnection;
  const owned: SshMachine[] = [];
  before(async () => {
    sshd = await TestSshd.start();
    connection = new SshConnection(sshd.target(), scriptedPrompts());
  });
  after(async () => {
    for (const machine of owned) machine.dispose();
    connection.dispose();
    await sshd.dispose();
  });
  /** `local` works in `here`; gpu1 and gpu2 in `there` and `other`. */
  const tools = () => {
    for (const name of ['here', 'there', 'other']) mkdirSync(path(name), { recursive: true });
    const host = (id: string, workFolder: string): SshMachine => {
      const machine = new SshMachine({ id, connection, homeFolder: path('there'), workFolder });
      owned.push(machine);
      return machine;
    };
    const local = new LocalMachine({ runsFolder: path('runs'), workFolder: path('here') });
    return {
      machines: createMachines([local, host('gpu1', path('there')), host('gpu2', path('other'))]),
    };
  };
  const gpu1 = { machine_id: 'gpu1' };

  it('patches megabytes of any bytes, and touches nothing but the piece', async () => {
    const bytes = Buffer.alloc(5 * 2 ** 20, 'x'.repeat(99) + '\r\n\xff\0', 'latin1');
    const before = Buffer.concat([
      bytes,
      Buffer.from('lr = X\r\n'),
      bytes,
      Buffer.from('no newline at the end'),
    ]);
    mkdirSync(path('there'));
    writeFileSync(path('there/f'), before);
    chmodSync(path('there/f'), 0o750);
    await call(patchFile(tools()), {
      ...gpu1,
      path: 'f',
      old_string: 'lr = X',
      new_string: "lr = $& $$ $` '1'",
    });
    const expected = Buffer.concat([
      bytes,
      Buffer.from("lr = $& $$ $` '1'\r\n"),
      bytes,
      Buffer.from('no newline at the end'),
    ]);
    assert.ok(expected.equals(readFileSync(path('there/f'))));
    assert.equal(statSync(path('there/f')).mode & 0o777, 0o750);
    assert.deepEqual(readdirSync(path('there')), ['f']);
  });

  it('writes exactly what it was given, and says when it could not', async () => {
    const text = `ä😀 'q' "$(touch no)" \\n\r\n${'y'.repeat(3_000_000)} end without newline`;
    const deps = tools();
    await call(writeFile(deps), { ...gpu1, path: "new/it's.txt", content: text });
    assert.equal(readFileSync(path("there/new/it's.txt"), 'utf8'), text);
    await assert.rejects(
      call(writeFile(deps), { ...gpu1, path: '/proc/version', content: 'no' }),
      /Cannot write/,
    );
    assert.deepEqual(readdirSync(path('there/new')), ["it's.txt"]);
  });

  it('reads the last lines of many megabytes, and looks at images and documents', async () => {
    const deps = tools();
    writeFileSync(
      path('there/log'),
      Array.from({ length: 200_000 }, (_, index) => `line ${index + 1}\n`).join(''),
    );
    const read = await answer(readFile(deps), { ...gpu1, path: '~/log', offset: 199_999 });
    assert.deepEqual(read, {
      content: 'line 199999\nline 200000',
      lines: { from: 199_999, to: 200_000, total: 200_000 },
    });
    const png = Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      Buffer.alloc(2_000_000, '\0\xfe', 'latin1'),
    ]);
    writeFileSync(path('there/plot.dat'), png);
    writeFileSync(path('there/paper'), '%PDF-1.7 \xff');
    const image = await call(readFile(deps), { ...gpu1, path: 'plot.dat' });
    assert.deepEqual(
      image.attachments?.map(({ mediaType, base64 }) => [
        mediaType,
        base64 === png.toString('base64'),
      ]),
      [['image/png', true]],
    );
    const document = await call(readFile(deps), { ...gpu1, path: 'paper' });
    assert.equal(document.attachments?.[0]?.mediaType, 'application/pdf');
  });

  it('sends, fetches, and passes on from machine to machine; the destination is the new name', async () => {
    const deps = tools();
    mkdirSync(path('here/project/.git'), { recursive: true });
    for (const name of ['train.py', 'notes.log', '.git/HEAD'])
      writeFileSync(path(`here/project/${name}`), name);
    writeFileSync(path('here/project/.gitignore'), '*.log\n');
    const up = {
      ...gpu1,
      local_path: 'project',
      remote_path: '~/code/',
      exclude: ['.git'],
      gitignore: true,
    };
    const { content, summary } = await call(remoteUpload(deps), up);
    const sent = content as Record<string, unknown>;
    const bytes = '*.log\n'.length + 'train.py'.length;
    assert.equal(sent['bytes_sent'], bytes);
    assert.match(summary ?? '', new RegExp(`^2 files · ${bytes} B · `));
    assert.deepEqual(readdirSync(path('there/code')).sort(), ['.gitignore', 'train.py']);
    assert.deepEqual(
      [sent['files_sent'], [...(sent['left_out'] as string[])].sort()],
      [2, ['.git', 'notes.log']],
    );
    const again = await call(remoteUpload(deps), up);
    assert.deepEqual(
      [again.summary, (again.content as Record<string, unknown>)['bytes_sent']],
      ['nothing new', 0],
    );
    const onwards = {
      machine_id: 'gpu2',
      source_machine_id: 'gpu1',
      local_path: 'code',
      remote_path: 'copy',
    };
    await call(remoteUpload(deps), onwards);
    await call(remoteDownload(deps), {
      machine_id: 'gpu2',
      remote_path: 'copy/train.py',
      local_path: 'back/t.py',
    });
    assert.equal(readFileSync(path('here/back/t.py'), 'utf8'), 'train.py');
    await call(remoteUpload(deps), {
      machine_id: 'local',
      local_path: 'back',
      remote_path: path('here/second'),
    });
    assert.ok(existsSync(path('here/second/t.py')));
  });

  it('tells the model what to do instead', async () => {
    const deps = tools();
    const upload = (input: object) => call(remoteUpload(deps), { ...gpu1, ...input });
    await assert.rejects(upload({ local_path: 'no', remote_path: 'x' }), /here\/no does not exist/);
    writeFileSync(path('here/file'), 'x');
    await assert.rejects(
      upload({ local_path: 'file', remote_path: '.' }),
      /is a folder .* Add the file name/,
    );
    const within = { source_machine_id: 'gpu1', local_path: 'a', remote_path: 'b' };
    await assert.rejects(upload(within), /Copy them with a command/);
    const denied = { local_path: 'file', remote_path: '/proc/x/file' };
    await assert.rejects(
      upload(denied),
      /0 of 1 file were sent; no file is incomplete.*Call again to resume/,
    );
    const input = { ...gpu1, local_path: 'file', remote_path: 'f' };
    assert.equal(
      (await call(remoteUpload(deps), input, toolContext(AbortSignal.abort()))).summary,
      'interrupted',
    );
    assert.deepEqual(readdirSync(path('there')), []);
  });

  it('names what it would do for a user to judge, and takes other spellings', () => {
    const { machines } = tools();
    const upload = remoteUpload({ machines });
    const input = { machine: 'gpu1', source: 'data', destination: '/scratch/data' };
    assert.equal(upload.describe(input), 'Sent data to /scratch/data on gpu1');
    assert.equal(upload.effect, 'write');
    assert.equal(remoteDownload({ machines }).effect, 'write');
    assert.ok(!upload.parse({ ...input, delete: true }).ok, 'deleting is not offered');
  });
});
