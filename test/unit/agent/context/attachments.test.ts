import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import {
  RequestAttachments,
  type RecordedMessage,
} from '../../../../src/agent/context/attachments.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import type { AttachmentBlock, Message, ModelRequest } from '../../../../src/models/model.ts';
import type { AttachmentFile } from '../../../../src/storage/attachmentFiles.ts';
import { homeAt } from '../../../../src/storage/home.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('attachments of a request', () => {
  const file = (digit: string, name?: string): AttachmentFile => ({
    ...{ hash: digit.repeat(64), mediaType: 'image/png', sizeBytes: 1234 },
    ...(name !== undefined && { name }),
  });
  const shown = (
    ...attachments: readonly (AttachmentBlock | AttachmentFile)[]
  ): RecordedMessage => ({
    role: 'user',
    content: [{ type: 'tool_result', callId: 'c', text: 'a chart', isError: false, attachments }],
  });
  const block = (name: string, base64: string): AttachmentBlock => ({
    ...{ type: 'attachment', mediaType: 'image/png', name, base64 },
  });
  const resultIn = ([message]: readonly Message[]) => {
    const [first] = message?.content ?? [];
    assert.ok(first?.type === 'tool_result');
    return first;
  };

  it('are read for the request that needs them, and not again for the next that does', async () => {
    const read: string[] = [];
    const attachments = new RequestAttachments({
      read({ hash }) {
        read.push(hash.slice(0, 1));
        return Promise.resolve(Buffer.from(hash.slice(0, 1)));
      },
    });
    const [a, b] = [file('a', 'a.png'), file('b')];
    const both = resultIn(await attachments.fill([shown(a, b, a)]));
    assert.deepEqual(both.attachments, [
      block('a.png', 'YQ=='),
      block('attachment', 'Yg=='),
      block('a.png', 'YQ=='),
    ]);
    assert.equal(both.text, 'a chart');
    await attachments.fill([shown(a)]);
    assert.deepEqual(read, ['a', 'b']);
    await attachments.fill([shown(b)]);
    assert.deepEqual(read, ['a', 'b', 'b'], 'what no request holds is not held in memory');
  });

  it('are said to be missing where they are, in the place of the rest', async () => {
    const attachments = new RequestAttachments({
      read: ({ hash }) => Promise.resolve(hash.startsWith('a') ? Buffer.from('a') : undefined),
    });
    const some = resultIn(await attachments.fill([shown(file('b', 'b.png'), file('a', 'a.png'))]));
    assert.deepEqual(some.attachments, [block('a.png', 'YQ==')]);
    assert.match(
      some.text,
      /^a chart\n\[b\.png \(image\/png, 1\.23 kB\) can no longer be shown: .*missing/,
    );
    const none = resultIn(await attachments.fill([shown(file('b'))]));
    assert.ok(!('attachments' in none));
    assert.match(none.text, /\[An attachment \(image\/png/);
  });

  it('are taken as they are from journals that hold the bytes, and everything else is left alone', async () => {
    const attachments = new RequestAttachments({
      read: () => Promise.reject(new Error('nothing is read')),
    });
    const old = block('old.png', 'AAAA');
    assert.deepEqual(resultIn(await attachments.fill([shown(old)])).attachments, [old]);
    const others: RecordedMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'g' }] },
      { role: 'assistant', content: [{ type: 'tool_call', id: 'c', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', callId: 'c', text: 'r', isError: true }] },
    ];
    assert.deepEqual(await attachments.fill(others), others);
  });
});

describe('attachments of a session', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const refresh = [{ name: 'read_file', input: { path: 'plot.png' } }];
  const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
  const shownIn = (request: ModelRequest | undefined) =>
    (request?.messages ?? []).flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' && block.attachments) || []),
    );
  const texts = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages);

  async function seen(
    model: ScriptedModel,
  ): Promise<{ bed: TestEngine; session: Session; folder: string }> {
    bed = await testEngine(model);
    await writeFile(path.join(bed.work, 'plot.png'), png);
    const session = await bed.start();
    await until(() => model.requests.length >= 2);
    return { bed, session, folder: homeAt(bed.home).sessionFolder(session.id) };
  }

  it('are files beside the journal, which names them, and reach the model', async () => {
    const model = new ScriptedModel([refresh, refresh, quit]);
    const { session, folder } = await seen(model);
    await session.ended;
    const expected = {
      type: 'attachment',
      mediaType: 'image/png',
      name: 'plot.png',
      base64: png.toString('base64'),
    };
    assert.deepEqual(shownIn(model.requests[2]), [expected, expected]);
    const [finished] = eventsOf(session, 'tool.finished');
    const [named] = finished?.attachmentFiles ?? [];
    assert.deepEqual(
      [named?.mediaType, named?.name, named?.sizeBytes],
      ['image/png', 'plot.png', png.length],
    );
    assert.deepEqual(await readdir(path.join(folder, 'attachments')), [`${named?.hash}.png`]);
    assert.doesNotMatch(
      await readFile(path.join(folder, 'journal.jsonl'), 'utf8'),
      /base64|iVBORw0KGgo/,
    );
  });

  it('leave the conversation when the provider reads it all again, and stay out of it', async () => {
    const list = [{ name: 'list_files', input: { path: '.' } }];
    const replies = [refresh, list, list, quit];
    const pin: { act?: () => Promise<number> } = {};
    const model = new ScriptedModel(async (_, index) => {
      // The prompt changes while the third reply is awaited.
      if (index === 2) await pin.act?.();
      return replies[index] ?? quit;
    });
    bed = await testEngine(model);
    await writeFile(path.join(bed.work, 'plot.png'), png);
    const session = await bed.start();
    pin.act = () => session.pin('mind the units');
    await session.ended;
    const isShown = model.requests.map((request) => shownIn(request).length > 0);
    assert.deepEqual(isShown, [false, true, true, false]);
    assert.match(texts(model.requests.at(-1)), /plot\.png was shown above and is left out now/);
    const left = eventsOf(session, 'model.requested').flatMap(({ leftOut }) => leftOut ?? []);
    assert.deepEqual(
      left,
      eventsOf(session, 'tool.finished')
        .slice(0, 1)
        .map(({ callId }) => callId),
    );
  });

  it('are shown again when the session is taken up, and told to be gone where they are', async () => {
    const before = await seen(new ScriptedModel([refresh, 'hang']));
    const again = new ScriptedModel(['hang']);
    bed = await before.bed.restart(again);
    await bed.engine.sessions.resume(before.session.id);
    await until(() => again.requests.length === 1);
    assert.deepEqual(
      shownIn(again.requests[0]).map(({ base64 }) => base64),
      [png.toString('base64')],
    );
    await rm(path.join(before.folder, 'attachments'), { recursive: true });
    const last = new ScriptedModel([quit]);
    bed = await bed.restart(last);
    assert.equal(await (await bed.engine.sessions.resume(before.session.id)).ended, 'blocked');
    assert.deepEqual(shownIn(last.requests[0]), []);
    assert.match(texts(last.requests[0]), /plot\.png \(image\/png, 16 B\) can no longer be shown/);
  });

  it('are read from journals of older versions, which hold the bytes', async () => {
    const before = await seen(new ScriptedModel([refresh, 'hang']));
    await before.bed.engine.close();
    const journal = path.join(before.folder, 'journal.jsonl');
    const block = {
      type: 'attachment',
      mediaType: 'image/png',
      name: 'old.png',
      base64: 'iVBORw0KGgo=',
    };
    const old = (await readFile(journal, 'utf8')).replace(
      /"attachmentFiles":\[[^\]]*\]/,
      `"attachments":${JSON.stringify([block])}`,
    );
    await writeFile(journal, old);
    const again = new ScriptedModel([quit]);
    bed = await before.bed.restart(again);
    await (
      await bed.engine.sessions.resume(before.session.id)
    ).ended;
    assert.deepEqual(shownIn(again.requests[0]), [block]);
  });
});
