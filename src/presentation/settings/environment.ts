/**
 * Descriptions of the environment variables that set neither a setting nor the key of a provider.
 */
export const environmentVariables: Readonly<Record<string, string>> = {
  'HELIOS_KEY_<ID>':
    'API key of an endpoint. `<ID>` is the id of the endpoint in capitals, with `_` in place of `-`.',
  HTTPS_PROXY:
    'Proxy for requests to models and to the web. If it is not set, `ALL_PROXY` is used, then `HTTP_PROXY`.',
  NO_PROXY: 'Hosts that are reached without the proxy.',
  AWS_DEFAULT_REGION: 'AWS region of Bedrock, used if `AWS_REGION` is not set.',
  AWS_ACCESS_KEY_ID: 'AWS access key for Bedrock.',
  AWS_SECRET_ACCESS_KEY: 'Secret of the AWS access key for Bedrock.',
  AWS_SESSION_TOKEN: 'AWS session token for Bedrock, needed with temporary credentials.',
  AWS_PROFILE: 'AWS profile from which the credentials are read.',
  AWS_CONFIG_FILE: 'AWS configuration file, in place of `~/.aws/config`.',
  AWS_SHARED_CREDENTIALS_FILE: 'AWS credentials file, in place of `~/.aws/credentials`.',
  AWS_EC2_METADATA_DISABLED: '`true` disables the use of the credentials of an EC2 instance.',
  ANTHROPIC_AUTH_TOKEN:
    'Token for the API that the `claude` command uses. With it, each call of the provider `claude-cli` is billed.',
  CLAUDE_CODE_OAUTH_TOKEN: 'Sign-in token of the `claude` command, for the provider `claude-cli`.',
  CLAUDE_CONFIG_DIR: 'Configuration folder of the `claude` command.',
  DOCKER_HOST: 'Address of the container engine.',
  DOCKER_CONTEXT: 'Docker context of the container engine, where `DOCKER_HOST` is not set.',
  DOCKER_CONFIG: 'Configuration folder of Docker, in place of `~/.docker`.',
  COLIMA_HOME: 'Folder of Colima, in place of `~/.colima`.',
  HELIOS_TEST_PLATFORM: 'Operating system that tests pretend, such as `win32`.',
  SSH_AUTH_SOCK: 'Socket of the SSH agent.',
  NO_COLOR: 'If set, disables colors in the terminal.',
};
