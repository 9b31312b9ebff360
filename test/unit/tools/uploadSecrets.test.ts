/** Files with secrets are not sent to other machines. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { remoteUpload } from '../../../src/tools/machines/remoteUpload.ts';
import { answer, call, localOnly } from './machineTools.harness.ts';

const key = `sk-proj-${'aB3dE5gH7jK9mN1pQ2rS'.repeat(2)}`;

describe('remote_upload and secrets', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-upload-'));
    await mkdir(path.join(folder, 'code', 'sub dir'), { recursive: true });
    const files = {
      '.env': 'A=1\n',
      '.env.example': 'A=\n',
      'train.py': 'print(1)\n',
      'client.py': `client = Client("${key}")\n`,
      'sub dir/[x] *.py': `client = Client("${key}")\n`,
      'sub dir/x.py': 'print(2)\n',
      id_ed25519: 'key\n',
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(path.join(folder, 'code', name), text);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const tool = () => remoteUpload({ machines: localOnly(folder) });
  const sent = async () =>
    (await readdir(path.join(folder, 'sent'), { recursive: true })).toSorted();

  it('leaves them out of a folder, and says so', async () => {
    const result = await answer(tool(), {
      machine_id: 'local',
      local_path: 'code',
      remote_path: 'sent',
    });
    assert.deepEqual(await sent(), ['.env.example', 'sub dir', 'sub dir/x.py', 'train.py']);
    assert.deepEqual((result['secrets_not_sent'] as string[]).toSorted(), [
      '.env has the name of a secret',
      'client.py seems to contain a secret',
      'id_ed25519 has the name of a secret',
      'sub dir/[x] *.py seems to contain a secret',
    ]);
  });

  for (const name of ['.env', 'client.py', 'id_ed25519'])
    it(`refuses ${name} alone`, async () => {
      const input = { machine_id: 'local', local_path: `code/${name}`, remote_path: 'sent' };
      await assert.rejects(
        call(tool(), input),
        /Not sent: .*Secrets stay where they are|is a private key, which no call may use/,
      );
    });

  it('sends a file without secrets', async () => {
    await answer(tool(), { machine_id: 'local', local_path: 'code/train.py', remote_path: 'sent' });
    assert.deepEqual(await readdir(folder).then((names) => names.includes('sent')), true);
  });
});
