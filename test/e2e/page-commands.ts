const block = /^```sh\n(?<text>[^]*?)^```$/gm;

/** The commands in the `sh` blocks of a page, one a line. */
export function shellCommands(page: string): readonly string[] {
  return [...page.matchAll(block)]
    .flatMap(({ groups }) => groups?.['text']?.split('\n') ?? [])
    .filter((line) => line.trim() !== '');
}
