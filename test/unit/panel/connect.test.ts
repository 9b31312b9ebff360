import assert from 'node:assert/strict';
import 'vscode-jsonrpc/node';
import { describe, it } from 'mocha';
import { NotificationType, RequestType, RequestType0 } from 'vscode-jsonrpc';
import { connect } from '../../../src/protocol/connect.ts';
import { portPair } from '../../fakes/portPair.ts';

const double = new RequestType<{ values: Float64Array }, { values: Float64Array }, void>('double');
const fail = new RequestType0<string, void>('fail');
const hang = new RequestType0<string, void>('hang');
const told = new NotificationType<{ text: string }>('told');

describe('a conversation over a port', () => {
  it('carries typed arrays there and back', async () => {
    const { host, view } = portPair();
    const [server, client] = [connect(host), connect(view)];
    server.onRequest(double, ({ values }) => ({ values: values.map((value) => value * 2) }));
    server.listen();
    client.listen();
    const answer = await client.sendRequest(double, { values: Float64Array.of(1, Number.NaN, 3) });
    assert.deepEqual(answer, { values: Float64Array.of(2, Number.NaN, 6) });
    server.dispose();
    client.dispose();
  });

  it('rejects the caller when the handler fails', async () => {
    const { host, view } = portPair();
    const [server, client] = [connect(host), connect(view)];
    server.onRequest(fail, () => {
      throw new Error('no such run');
    });
    server.listen();
    client.listen();
    await assert.rejects(client.sendRequest(fail), /no such run/);
    server.dispose();
    client.dispose();
  });

  it('rejects what is pending when it is disposed, and posts nothing afterwards', async () => {
    const { host, view, fromHost } = portPair();
    const [server, client] = [connect(host), connect(view)];
    let answer: (text: string) => void = () => assert.fail('not asked');
    const asked = new Promise<void>((resolve) => {
      server.onRequest(hang, () => {
        resolve();
        return new Promise<string>((answered) => (answer = answered));
      });
    });
    server.listen();
    client.listen();
    const pending = assert.rejects(client.sendRequest(hang), /disposed/);
    await asked;
    client.dispose();
    await pending;
    server.dispose();
    answer('too late');
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(fromHost, []);
  });

  it('leaves messages of others alone', async () => {
    const { host, view } = portPair();
    const server = connect(host);
    const heard: string[] = [];
    const done = new Promise<void>((resolve) => {
      server.onNotification(told, ({ text }) => {
        heard.push(text);
        resolve();
      });
    });
    server.listen();
    for (const stray of [undefined, 'text', { type: 'theme' }, { jsonrpc: '1.0', method: 'told' }])
      view.post(stray);
    const client = connect(view);
    client.listen();
    await client.sendNotification(told, { text: 'ours' });
    await done;
    assert.deepEqual(heard, ['ours']);
    server.dispose();
    client.dispose();
  });
});
