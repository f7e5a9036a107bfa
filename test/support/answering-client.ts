import type { Unstructured } from '../../src/base/object.ts';
import type { Status } from '../../src/kube/client.ts';
import { ScriptedClient } from './scripted-client.ts';

/** A client whose writes all succeed with the one given answer, and are counted. */
export class AnsweringClient extends ScriptedClient {
  writes = 0;
  readonly #answer: Unstructured;
  readonly #deleted: Unstructured | Status;

  constructor(answer: Unstructured, deleted: Unstructured | Status = answer) {
    super();
    this.#answer = answer;
    this.#deleted = deleted;
  }

  override get(): Promise<Unstructured> {
    return Promise.resolve(this.#answer);
  }

  override create(): Promise<Unstructured> {
    return this.#write();
  }

  override update(): Promise<Unstructured> {
    return this.#write();
  }

  override patch(): Promise<Unstructured> {
    return this.#write();
  }

  override apply(): Promise<Unstructured> {
    return this.#write();
  }

  override delete(): Promise<Unstructured | Status> {
    this.writes += 1;
    return Promise.resolve(this.#deleted);
  }

  #write(): Promise<Unstructured> {
    this.writes += 1;
    return Promise.resolve(this.#answer);
  }
}
