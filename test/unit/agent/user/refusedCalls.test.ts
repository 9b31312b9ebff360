import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { openQuestions } from '../../../../src/agent/user/questions.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit: ScriptedReply = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];
const asleep: ScriptedReply = [
  { name: 'sleep', input: { reason: 'later', wake_conditions: [{ type: 'timer', minutes: 600 }] } },
];
const run = (command: string): ScriptedReply => [{ name: 'remote_exec', input: { command } }];
const outside = 'printf x; ssh-keyscan 127.0.0.1 >/dev/null 2>&1; true';

describe('a call outside the mandate', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const begin = async (script: readonly ScriptedReply[]) => {
    const model = new ScriptedModel(script);
    bed = await testEngine(model, { settings: { permissionMode: 'mandate' } });
    return { model, session: await bed.start() };
  };

  it('waits in the inbox once, and passes after the user has allowed it', async () => {
    const { model, session } = await begin([
      run(outside),
      run(outside),
      asleep,
      run(outside),
      quit,
    ]);
    await eventually(session, 'sleep.started');
    const [question, ...others] = openQuestions(session.state);
    assert.ok(question !== undefined && others.length === 0);
    assert.match(question.text, /outside the mandate: .*ssh-keyscan/s);
    const [, called, refused, ...effect] = question.text.split('\n');
    assert.match(called ?? '', /^Call: Run printf x; ssh-keyscan 127\.0\.0\.1/);
    assert.match(refused ?? '', /^Refused: outside the mandate: /);
    assert.ok(effect.includes(`command: ${outside}`), question.text);
    const told = (index: number): string => JSON.stringify(model.requests[index]?.messages.at(-1));
    assert.match(told(1), /Not allowed: outside the mandate: .*It waits in the inbox/);
    await session.answer(question.id, 'Allow');
    await session.ended;
    assert.match(told(3), /The user now allows a call that was refused: .*Send it again/s);
    const decided = eventsOf(session, 'permission.decided');
    assert.deepEqual(
      decided.slice(0, 4).map(({ isAllowed, by }) => [isAllowed, by]),
      [
        [false, 'mandate'],
        [false, 'mandate'],
        [true, 'rule'],
        [true, 'person'],
      ],
    );
  });

  it('is told a way on', async () => {
    const { model, session } = await begin([
      run('echo 127.0.0.1 tracker | tee -a /etc/helios-hosts'),
      [{ name: 'write_file', input: { path: '/nowhere/results.md', content: 'x' } }],
      run('env | grep KEY'),
      quit,
    ]);
    await session.ended;
    const told = (index: number): string => JSON.stringify(model.requests[index]?.messages.at(-1));
    const place = `rite below ${bed?.work}`;
    // Where commands are confined, the confinement refuses it already.
    assert.match(told(1), /(?:writes|cannot change) \/etc\/helios-hosts/);
    assert.ok(told(1).includes(place), told(1));
    assert.ok(told(2).includes(`it writes /nowhere/results.md: w${place} or /tmp`), told(2));
    assert.match(told(3), /commands get no secrets, so name one variable, such as echo \$NAME/);
  });

  it('is refused by the user for good, but not by time', async () => {
    const { session } = await begin([run(outside), asleep, run(outside), quit]);
    await eventually(session, 'sleep.started');
    const [question] = openQuestions(session.state);
    await session.answer(question?.id ?? '', 'Do not allow');
    await session.ended;
    const last = eventsOf(session, 'permission.decided').findLast(({ by }) => by !== 'rule');
    assert.deepEqual([last?.isAllowed, last?.by], [false, 'person']);
  });

  it('waits without an answer that allows it if it is too long to be shown', async () => {
    const { session } = await begin([run(`${outside} ${'x'.repeat(3_000)}`), quit]);
    await session.ended;
    assert.equal(eventsOf(session, 'permission.decided')[0]?.isAllowed, false);
    assert.equal(session.state.questions.size, 0);
  });

  it('fills the inbox with twenty at most', async () => {
    const calls = Array.from({ length: 25 }, (_each, index) => run(`ssh h${index} ls`));
    const { session } = await begin([...calls, quit]);
    await session.ended;
    assert.equal(session.state.questions.size, 20);
  });
});
