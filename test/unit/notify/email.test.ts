import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'mocha';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { NotifyFailure } from '../../../src/notify/channel.ts';
import { emailChannel } from '../../../src/notify/channels/emailChannel.ts';
import type { EmailSettings } from '../../../src/notify/settings.ts';
import { message } from './message.ts';

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly isSafe: boolean;
  readonly user: unknown;
}

describe('the e-mail channel', () => {
  const servers: SMTPServer[] = [];
  afterEach(() =>
    Promise.all(servers.splice(0).map((server) => new Promise<void>((done) => server.close(done)))),
  );

  async function serve(options: SMTPServerOptions = {}): Promise<{ port: number; mails: Mail[] }> {
    const mails: Mail[] = [];
    const server = new SMTPServer({
      authOptional: true,
      logger: false,
      onAuth({ username, password }, _session, done) {
        if (username === 'ada' && password === 'open sesame') done(null, { user: username });
        else done(new Error('Invalid username or password'));
      },
      onData(stream, session, done) {
        let text = '';
        stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          mails.push({
            from,
            to: rcptTo.map(({ address }) => address),
            text,
            isSafe: session.secure,
            user: session.user,
          });
          done();
        });
      },
      ...options,
    });
    // A client that does not trust it hangs up.
    server.on('error', () => undefined);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.server.address() as AddressInfo).port, mails };
  }

  const channel = (port: number, settings: Partial<EmailSettings> = {}) =>
    emailChannel(
      {
        type: 'email',
        host: '127.0.0.1',
        port,
        from: 'helios@lab.example',
        to: 'ada@lab.example',
        security: 'none',
        ...settings,
      },
      {
        caFile: () => undefined,
        resolve: (text) => Promise.resolve(text.replace('${secret:smtp}', 'open sesame')),
        redact: (text) => text.replaceAll('open sesame', '[redacted]'),
      },
    );

  it('sends to everybody, with a text that machines do not answer', async () => {
    const { port, mails } = await serve();
    await channel(port, { to: ['ada@lab.example', 'bob@lab.example'] }).send(
      message({ title: 'Läuft\r\nBcc: eve@evil.example', body: '.\r\nQUIT' }),
    );
    const [mail] = mails;
    assert.equal(mail?.from, 'helios@lab.example');
    assert.deepEqual(mail?.to, ['ada@lab.example', 'bob@lab.example']);
    assert.match(mail?.text ?? '', /^Auto-Submitted: auto-generated\r$/m);
    assert.match(mail?.text ?? '', /^X-Helios-Event: task_complete\r$/m);
    assert.doesNotMatch(mail?.text ?? '', /^Bcc:/m);
    assert.match(mail?.text ?? '', /^\.\r\nQUIT\r$/m);
    assert.equal(mail?.isSafe, false);
  });

  it('logs in with a secret', async () => {
    const { port, mails } = await serve({ authMethods: ['PLAIN'], allowInsecureAuth: true });
    await channel(port, { user: 'ada', password: '${secret:smtp}' }).send(message());
    assert.equal(mails[0]?.user, 'ada');
  });

  it('says that the log-in is refused, without the password', async () => {
    const { port, mails } = await serve({ allowInsecureAuth: true });
    await assert.rejects(
      channel(port, { user: 'eve', password: '${secret:smtp}' }).send(message()),
      (error) =>
        error instanceof NotifyFailure &&
        error.reason === 'settings' &&
        !error.message.includes('sesame'),
    );
    assert.equal(mails.length, 0);
  });

  it('insists on STARTTLS unless told otherwise', async () => {
    const { port, mails } = await serve({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    const { security: _, ...settings } = { security: 'none' } as const;
    const insisting = emailChannel(
      {
        type: 'email',
        host: '127.0.0.1',
        port,
        from: 'a@lab.example',
        to: 'b@lab.example',
        ...settings,
      },
      { caFile: () => undefined, resolve: (text) => Promise.resolve(text), redact: (text) => text },
    );
    await assert.rejects(
      insisting.send(message()),
      (error) => error instanceof NotifyFailure && error.reason === 'settings',
    );
    assert.equal(mails.length, 0);
  });

  for (const security of ['starttls', 'tls'] as const)
    it(`does not trust a certificate that nobody vouches for (${security})`, async () => {
      const { port, mails } = await serve({ secure: security === 'tls' });
      await assert.rejects(
        channel(port, { security }).send(message()),
        (error) => error instanceof NotifyFailure,
      );
      assert.equal(mails.length, 0);
    });

  it('says that there is nobody', async () => {
    const { port } = await serve();
    await Promise.all(
      servers.splice(0).map((server) => new Promise<void>((done) => server.close(done))),
    );
    await assert.rejects(
      channel(port).send(message()),
      (error) =>
        error instanceof NotifyFailure &&
        error.reason === 'unreachable' &&
        /127\.0\.0\.1/.test(error.message),
    );
  });
});
