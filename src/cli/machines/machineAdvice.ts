/** Ways to a machine on which commands can run, for a user of Windows who has none. */
export const machineAdvice = `Use WSL, an SSH host or a container:
  wsl                                           open WSL, and start helios there
  helios machine add lab                        add a Host of your ~/.ssh/config
  helios machine add gpu1 ada@gpu1:2222         add an SSH host
  helios machine add box --kind container --image python:3.12-slim --mount .:/project`;
