/**
 * The mandate: the list of what the agent may do unattended. Contains the built-in mandate, which
 * applies if the user has not written a mandate.
 */

/** The classes of commands that a mandate can grant, each with a description of what it covers. */
export const commandClasses = {
  files: 'mkdir, cp, mv, rm, tar and the like, if all their paths are in the folders',
  scripts:
    'interpreters with scripts of the folders or with code in the command, and launchers such as torchrun',
  tools: 'compilers, make, tests, linters and converters',
  git: 'what the git rule of Helios allows: changes in its worktrees and in clones of the agent',
  downloads: 'curl, wget, git clone and hf download from the hosts',
  containers: 'docker build and docker run, with mounts in the folders only',
} as const;

export type CommandClass = keyof typeof commandClasses;

/** The installers that a mandate can grant, for environments in its folders only. */
export const installers = ['pip', 'uv', 'conda', 'poetry', 'npm'] as const;

export type Installer = (typeof installers)[number];

export interface Mandate {
  /**
   * Folders in which the agent may read and change files. `.` stands for the working folder with
   * its worktrees and run folders, `~` for the home folder; `gpu1:/data` is a folder of that
   * machine alone.
   */
  readonly folders: readonly string[];
  /** Further folders that commands may read, and whose programs they may run. */
  readonly reads: readonly string[];
  /** Ids of machines; `*` stands for all configured machines. */
  readonly machines: readonly string[];
  readonly commands: readonly CommandClass[];
  /** First words of further commands, such as `wandb sync`. Their arguments are not checked. */
  readonly programs: readonly string[];
  /**
   * Hosts from which commands may read and download; `*.example.org` stands for all hosts below it.
   * Confined commands can connect only to these hosts; for them, an entry may end with a port.
   */
  readonly hosts: readonly string[];
  readonly installs: readonly Installer[];
}

const wordsOf = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The mandate that applies if the user has not written a mandate. */
export const builtInMandate: Mandate = {
  folders: wordsOf(`
    . /tmp /var/tmp
    ~/.cache/huggingface ~/.cache/torch ~/.cache/pip ~/.cache/uv ~/.cache/pypoetry ~/.cache/matplotlib
    ~/.cache/kagglehub ~/.cache/triton ~/.triton ~/.keras ~/.npm ~/.conda/pkgs ~/nltk_data ~/scikit_learn_data
  `),
  reads: wordsOf(`
    /usr /opt /bin /lib /lib64 /System /Library
    ~/.local/share/uv ~/.local/lib ~/.local/bin ~/.cargo/bin ~/.pyenv ~/.nvm
    ~/miniconda3 ~/anaconda3 ~/miniforge3 ~/mambaforge ~/micromamba
  `),
  machines: ['*'],
  commands: ['files', 'scripts', 'tools', 'git', 'downloads', 'containers'],
  programs: [],
  hosts: wordsOf(`
    pypi.org *.pythonhosted.org *.pytorch.org pytorch.org *.anaconda.org anaconda.org repo.anaconda.com
    huggingface.co *.huggingface.co *.hf.co github.com *.github.com *.githubusercontent.com *.github.io gitlab.com
    registry.npmjs.org registry.yarnpkg.com crates.io *.crates.io proxy.golang.org sum.golang.org *.r-project.org
    pypi.nvidia.com developer.download.nvidia.com docs.nvidia.com data.pyg.org download.tensorflow.org
    ossci-datasets.s3.amazonaws.com www.cs.toronto.edu dl.fbaipublicfiles.com openml.org *.openml.org
    kaggle.com *.kaggle.com zenodo.org arxiv.org *.arxiv.org openreview.net aclanthology.org *.wikipedia.org
    docs.python.org *.readthedocs.io *.readthedocs.org numpy.org scipy.org scikit-learn.org stackoverflow.com
  `),
  installs: installers,
};

const localHost = /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|::1)$/;

/**
 * Returns true for this computer and for a host on the list. `host` may contain a user and a port.
 */
export function isGrantedHost(host: string, hosts: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/^.*@/, '').replace(/:\d*$/, '').replace(/\.$/, '');
  return (
    localHost.test(name) ||
    hosts.some((each) =>
      each.startsWith('*.')
        ? name.endsWith(each.slice(1).toLowerCase().replace(/:\d+$/, ''))
        : name === each.toLowerCase().replace(/:\d+$/, ''),
    )
  );
}

/** The mandate with its folders resolved for one machine. */
export interface MachineMandate extends Pick<
  Mandate,
  'commands' | 'programs' | 'hosts' | 'installs'
> {
  /** Absolute paths, both as written and with links resolved. */
  readonly folders: readonly string[];
  readonly reads: readonly string[];
  /** True if the git guard of Helios checks each call of git when the call runs. */
  readonly isGitGuarded: boolean;
}
