/** Reads paths of Windows as the user or the model writes them. */
import { win32 } from 'node:path';

/** Names of devices, in every folder and with every extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?:\..*)?$/i;

/**
 * Returns why a path cannot be used on Windows, as a sentence; `undefined` for a path that names
 * exactly one file or folder. A path on a network share is only used if `workFolder` is on this
 * share, because opening another share sends the name and the password hash of the user there.
 */
export function windowsPathProblem(path: string, workFolder: string): string | undefined {
  if (/^[a-z]:(?![\\/])/i.test(path))
    return 'it starts in the current folder of a drive. Write a backslash after the colon.';
  const full = win32.resolve(workFolder, path);
  if (/^\\\\[?.]\\/.test(full)) return 'it names a device. Use a path that begins with a drive.';
  const { root } = win32.parse(full);
  if (root.startsWith('\\\\') && root.toLowerCase() !== win32.parse(workFolder).root.toLowerCase())
    return 'it is on a network share. Map the share to a drive, or open a folder of the share.';
  for (const name of full.slice(root.length).split('\\')) {
    if (name.includes(':')) return 'it names a stream of a file. Leave out the colon.';
    if (/[. ]$/.test(name))
      return 'a name in it ends with a dot or a blank, which Windows ignores. Leave it out.';
    if (device.test(name)) return 'it names a device. Use another name.';
  }
  return undefined;
}
