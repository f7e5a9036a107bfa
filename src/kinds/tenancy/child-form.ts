import type { ChildSet, Manifest } from '../../sdk/index.ts';

/** How items of one list become children: what is sent, and how it is compared with what the API server keeps. */
export interface ChildForm<Item>
  extends Pick<ChildSet, 'type' | 'normalise' | 'unordered' | 'quantities' | 'immutable' | 'merge'> {
  readonly manifest: (item: Item, namespace: string) => Manifest;
}
