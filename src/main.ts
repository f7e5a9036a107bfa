#!/usr/bin/env node
// The one file that runs before anything is known about the machine: it may import nothing that an old Node cannot load.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Homeostat needs Node 22.19 or newer, and this is ${process.versions.node}. Start it with \`npm start\`: npm brings a newer Node along.\n`,
  );
  process.exitCode = 1;
} else {
  const { withoutMaglev } = await import('./cli/engine-flags.ts');
  withoutMaglev();
  const { start } = await import('./cli/start.ts');
  const { kinds } = await import('./kinds/index.ts');
  process.exitCode = await start(kinds, process);
}

export {};
