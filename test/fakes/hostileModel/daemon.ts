/** Returns a Python script that leaves a process without the name, group, session and environment of its own. */
export const daemonScript = (mark: string): string => `import os, signal
for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
for _ in (1, 2):
  if os.fork() > 0: os._exit(0)
  os.setsid()
os.chdir("/")
os.closerange(0, 256)
os.execve("/bin/sleep", ["kworker", "${mark}"], {})
`;
