/** The effects of environment variables that are neither a setting nor the key of a provider. */
export const environmentVariables: Readonly<Record<string, string>> = {
  'HELIOS_KEY_<ID>': 'API key of an endpoint: its id in capitals, with `_` in place of `-`.',
  HTTPS_PROXY: 'Proxy for requests to models and to the web. `ALL_PROXY` and `HTTP_PROXY` follow.',
  NO_PROXY: 'Hosts that are reached without the proxy.',
  AWS_DEFAULT_REGION: 'AWS region of Bedrock, used if `AWS_REGION` is not set.',
  AWS_ACCESS_KEY_ID: 'AWS credentials for Bedrock.',
  AWS_SECRET_ACCESS_KEY: 'AWS credentials for Bedrock.',
  AWS_SESSION_TOKEN: 'AWS credentials for Bedrock, where they are temporary.',
  AWS_PROFILE: 'Profile of the AWS credentials.',
  AWS_CONFIG_FILE: 'Configuration file of AWS, in place of `~/.aws/config`.',
  AWS_SHARED_CREDENTIALS_FILE: 'Credentials file of AWS, in place of `~/.aws/credentials`.',
  AWS_EC2_METADATA_DISABLED: '`true`: the credentials of an EC2 instance are not looked for.',
  CLAUDE_CODE_OAUTH_TOKEN: 'Sign-in of the `claude` command, for the provider `claude-cli`.',
  CLAUDE_CONFIG_DIR: 'Configuration folder of the `claude` command.',
  DOCKER_HOST: 'Engine of the containers.',
  SSH_AUTH_SOCK: 'Agent of SSH keys.',
  NO_COLOR: 'Turns colors of the terminal off.',
};
