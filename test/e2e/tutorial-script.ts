/** One thing that a reader of the tutorial does. */
export type TutorialStep =
  | { readonly type: 'file'; readonly path: string; readonly text: string }
  | { readonly type: 'command'; readonly command: string; readonly output: string };

const block = /^```(?<info>[^\n]*)\n(?<text>[^]*?)^```$/gm;

/** What the fenced blocks of a page ask for: files to save, and commands with what they print. */
export function readTutorial(page: string): readonly TutorialStep[] {
  return [...page.matchAll(block)].flatMap(({ groups }): readonly TutorialStep[] => {
    const { info = '', text = '' } = groups ?? {};
    const path = /\bfile=(?<path>\S+)/.exec(info)?.groups?.['path'];
    if (path !== undefined) return [{ type: 'file', path, text }];
    return info === 'console' ? commandsOf(text) : [];
  });
}

function commandsOf(text: string): readonly TutorialStep[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.split('\n');
      return { type: 'command', command, output: output.join('\n').trim() };
    });
}

/** Tells whether an output is the one a page shows, where `…` stands for anything. */
export function isAsShown(output: string, shown: string): boolean {
  const lines = (text: string): string =>
    text
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trim();
  const pattern = lines(shown)
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('[^]*');
  return new RegExp(`^${pattern}$`).test(lines(output));
}
