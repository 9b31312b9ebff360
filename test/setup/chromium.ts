import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { installPackages } from './packages.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of a Chromium of this machine; on Debian as root it is installed when missing. */
export async function installChromium(): Promise<string> {
  const present = findChromium();
  if (present) return present;
  await installPackages('chromium', 'fonts-dejavu-core');
  const installed = findChromium();
  if (installed) return installed;
  throw new Error(
    'Chromium is missing: the end-to-end tests drive VS Code in it. Install it (Debian: apt-get install chromium; ' +
      'macOS: brew install --cask chromium) or set HELIOS_TEST_CHROMIUM to the path of a Chrome or Chromium.',
  );
}

export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await installChromium(), args: chromiumFlags });
}

function findChromium(): string | undefined {
  const named = process.env['HELIOS_TEST_CHROMIUM'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const applications = ['Google Chrome', 'Chromium'].map(
    (app) => `/Applications/${app}.app/Contents/MacOS/${app}`,
  );
  return [...candidates, ...applications].find((path) => existsSync(path));
}
