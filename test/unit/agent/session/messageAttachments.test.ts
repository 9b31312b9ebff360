import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Attachment } from '../../../../src/agent/contract/attachment.ts';
import {
  fileAttachment,
  folderAttachment,
} from '../../../../src/presentation/sessions/attachments.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit: ScriptedReply = [{ name: 'finish', input: { outcome: 'blocked', summary: 'no' } }];
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const script = fileAttachment('train.py', '/w/train.py', Buffer.from('lr = 0.1\n'));

describe('what is attached to a message', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const contentOf = (model: ScriptedModel, request: number) =>
    model.requests[request]?.messages.flatMap(({ role, content }) =>
      role === 'user' ? content : [],
    ) ?? [];

  it('reaches the model with the goal, as data of others, and the journal by its hash', async () => {
    const model = new ScriptedModel([quit]);
    bed = await testEngine(model);
    const image: Attachment = fileAttachment('a.png', '/w/a.png', png);
    const session = await bed.start({ goal: 'improve it', attachments: [script, image] });
    await session.ended;
    const [goal, text, picture] = contentOf(model, 0);
    assert.ok(goal?.type === 'text' && goal.text.includes('improve it'));
    assert.ok(text?.type === 'text');
    assert.match(
      text.text,
      /^The user attached train\.py:\n<untrusted from="train\.py">\nlr = 0\.1/,
    );
    assert.deepEqual(picture, {
      type: 'attachment',
      mediaType: 'image/png',
      name: 'a.png',
      base64: png.toString('base64'),
    });
    const [message] = eventsOf(session, 'message.added');
    assert.deepEqual(
      message?.attachments?.map(({ name, mediaType, sizeBytes }) => [name, mediaType, sizeBytes]),
      [
        ['train.py', 'text/plain', 9],
        ['a.png', 'image/png', png.length],
      ],
    );
    assert.equal(session.state.goal, 'improve it');
    assert.equal(readdirSync(path.join(session.folder, 'attachments')).length, 2);
  });

  it('comes with a later message, also while the model replies, and is missed with a note', async () => {
    const model = new ScriptedModel([quit, quit, quit]);
    bed = await testEngine(model);
    const session = await bed.start({ goal: 'improve it' });
    await session.ended;
    await session.say('see this', [script, folderAttachment('/w/data')]);
    await session.ended;
    assert.match(
      JSON.stringify(contentOf(model, 1)),
      /see this.*lr = 0\.1.*refers to the folder \/w\/data/,
    );
    rmSync(path.join(session.folder, 'attachments'), { recursive: true });
    const again = await bed.restart(model);
    try {
      const resumed = await again.engine.sessions.resume(session.id);
      await resumed.say('and now?');
      await resumed.ended;
      assert.match(
        JSON.stringify(contentOf(model, 2)),
        /train\.py \(text\/plain, 9 B\) can no longer be shown/,
      );
    } finally {
      await again.dispose();
    }
  });

  it('is a note where a file is too large or no text', () => {
    const large = fileAttachment('log.txt', '/w/log.txt', Buffer.alloc(200_000, 'a'));
    assert.match(
      String(Buffer.from(large.bytes)),
      /^The file \/w\/log\.txt \(.* is not included, because it is too large\.$/,
    );
    const binary = fileAttachment('m.pt', '/w/m.pt', Buffer.from([1, 0, 2]));
    assert.match(String(Buffer.from(binary.bytes)), /because it is not a text file\.$/);
  });
});
