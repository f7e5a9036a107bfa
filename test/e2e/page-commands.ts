import { execFileSync } from 'node:child_process';

const block = /^```sh\n(?<text>[^]*?)^```$/gm;

/** The commands in the `sh` blocks of a page, one a line. */
export function shellCommands(page: string): readonly string[] {
  return [...page.matchAll(block)]
    .flatMap(({ groups }) => groups?.['text']?.split('\n') ?? [])
    .filter((line) => line.trim() !== '');
}

/** The words of a command as a shell takes them: quotes and substitutions are its own. */
export function shellWords(command: string): readonly string[] {
  const script = `set -- ${command}\nprintf '%s\\0' "$@"`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}
