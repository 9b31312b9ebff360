/** Finds the source of AWS credentials without making a request. */
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface AwsPlaces {
  readonly env: Environment;
  /** The folder that holds `.aws`. */
  readonly homeFolder: string;
  /** File in which the system names the manufacturer of this computer. May be missing. */
  readonly vendorFile: string;
}

export const awsPlaces = (): AwsPlaces => ({
  env: process.env,
  homeFolder: homedir(),
  vendorFile: '/sys/class/dmi/id/sys_vendor',
});

/**
 * Source of AWS credentials. `keys`: access keys from the environment, which take precedence over
 * the other sources, as for the `aws` command. `chain`: a profile, a role or a sign-in, which the
 * SDK looks up.
 */
export type AwsSource =
  | {
      readonly kind: 'keys';
      readonly accessKey: string;
      readonly secretKey: string;
      readonly sessionToken?: string;
    }
  | { readonly kind: 'chain' };

/** Returns the source of the credentials; `undefined` if there is none. Never rejects. */
export async function findAwsSource(places: AwsPlaces): Promise<AwsSource | undefined> {
  const { env } = places;
  const [accessKey, secretKey, sessionToken] = [
    env['AWS_ACCESS_KEY_ID'],
    env['AWS_SECRET_ACCESS_KEY'],
    env['AWS_SESSION_TOKEN'],
  ];
  if (accessKey && secretKey)
    return { kind: 'keys', accessKey, secretKey, ...(sessionToken && { sessionToken }) };
  const isNamed = chainVariables.some((name) => env[name]);
  return isNamed || (await hasFiles(places)) || (await isOnEc2(places))
    ? { kind: 'chain' }
    : undefined;
}

const chainVariables = [
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

async function hasFiles({ env, homeFolder }: AwsPlaces): Promise<boolean> {
  const files = [
    env['AWS_SHARED_CREDENTIALS_FILE'] ?? path.join(homeFolder, '.aws', 'credentials'),
    env['AWS_CONFIG_FILE'] ?? path.join(homeFolder, '.aws', 'config'),
  ];
  const found = await Promise.all(files.map((file) => succeeds(access(file))));
  return found.includes(true);
}

/**
 * Returns whether this computer is on EC2 and so has a metadata service with credentials. On other
 * computers, a request to that service would only end by its timeout.
 */
async function isOnEc2({ env, vendorFile }: AwsPlaces): Promise<boolean> {
  if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return false;
  return readFile(vendorFile, 'utf8').then(
    (vendor) => vendor.startsWith('Amazon EC2'),
    () => false,
  );
}

const succeeds = (doing: Promise<unknown>): Promise<boolean> =>
  doing.then(
    () => true,
    () => false,
  );
