import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import tls from 'node:tls';
import { codeOf, messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import { NotifyFailure, type Channel, type ChannelDeps } from '../channel.ts';
import { fullText, type Message } from '../notification.ts';
import type { EmailSettings } from '../settings.ts';

const timeoutMs = 10_000;

type Deps = Pick<ChannelDeps, 'resolve' | 'redact' | 'caFile' | 'addressOf'>;

export const emailChannel = (settings: EmailSettings, deps: Deps): Channel => ({
  name: `e-mail to ${[settings.to].flat().join(', ')}`,
  async send(message) {
    const options = await connectionOf(settings, deps);
    // Loaded only when the first email is sent.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(options);
    try {
      await transport.sendMail(mailOf(settings, message));
    } catch (error) {
      throw failureOf(error, settings, deps);
    } finally {
      transport.close();
    }
  },
});

async function connectionOf(settings: EmailSettings, { resolve, caFile, addressOf }: Deps) {
  const {
    host,
    security = 'starttls',
    port = security === 'tls' ? 465 : 587,
    user,
    password = '',
  } = settings;
  const file = caFile();
  const ca =
    file === undefined
      ? undefined
      : [...tls.getCACertificates('default'), await readFile(file, 'utf8')];
  const address = await addressOf?.(host);
  return {
    host: address ?? host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== undefined && {
      auth: { user: await resolve(user), pass: await resolve(password) },
    }),
    tls: {
      ...(ca && { ca }),
      ...(address !== undefined && isIP(host) === 0 && { servername: host }),
    },
  };
}

const mailOf = ({ from, to }: EmailSettings, message: Message) => ({
  from,
  to,
  subject: oneLine(`Helios: ${message.title}`, 200),
  text: `${fullText(message)}\n\nSession ${message.sessionId}, ${new Date(message.atMs).toISOString()}\n`,
  // Asks mail programs not to send an automatic reply.
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Helios-Event': message.event },
});

function failureOf(error: unknown, { host, user }: EmailSettings, { redact }: Deps): NotifyFailure {
  const reason = redact(oneLine(messageOf(error), 200));
  switch (codeOf(error)) {
    case 'EAUTH':
      return new NotifyFailure(
        'settings',
        `${host} rejected the login of ${user ?? 'Helios'}: ${reason}`,
      );
    case 'ETLS':
      return new NotifyFailure(
        'settings',
        `${host} does not offer encryption (STARTTLS): ${reason}`,
      );
    case 'EENVELOPE':
    case 'EMESSAGE':
      return new NotifyFailure('refused', `${host} refused the e-mail: ${reason}`);
    default:
      return new NotifyFailure('unreachable', `${host} could not be reached: ${reason}`);
  }
}
