import { withoutSecrets } from '../../base/childEnvironment.ts';
import { isModelKey } from '../../base/modelKeys.ts';

/**
 * Returns the environment of programs that the ssh config names: without API keys, but with the
 * user's AWS credentials, which commands such as `aws ssm start-session` need.
 */
export const sshEnvironment = (): Record<string, string | undefined> =>
  withoutSecrets(process.env, (name) => name.startsWith('AWS_') && !isModelKey(name));
