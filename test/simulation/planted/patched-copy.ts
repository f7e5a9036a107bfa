import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { edited, type PlantedFault } from './planted-fault.ts';

/** Root of the repository. */
const ROOT = join(import.meta.dirname, '../../..');

/** A copy of the sources in which faults are planted one at a time. */
export class PatchedCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Copies src as it is now. */
  static async make(): Promise<PatchedCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'planted-'));
    await cp(join(ROOT, 'src'), join(folder, 'src'), { recursive: true });
    await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return new PatchedCopy(folder);
  }

  /** Does something while a fault is planted. Rejects when the sources do not hold what it replaces. */
  async with<Result>({ edits }: PlantedFault, work: () => Promise<Result>): Promise<Result> {
    const before = new Map<string, string>();
    const after = new Map<string, string>();
    for (const edit of edits) {
      const path = join(this.folder, 'src', edit.file);
      const text = after.get(path) ?? (await readFile(path, 'utf8'));
      if (!before.has(path)) before.set(path, text);
      after.set(path, edited(text, edit));
    }
    try {
      for (const [path, text] of after) await writeFile(path, text);
      return await work();
    } finally {
      for (const [path, text] of before) await writeFile(path, text);
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
