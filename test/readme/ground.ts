import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { embeddedDatabase } from '../../example-graphql/database';
import { startExample, type Example } from '../../example-graphql/start';
import { startCluster, type Cluster } from '../../src/testing';
import { Clone } from './clone';
import { makeUserProject } from './user-project';

/** What commands need to be there: each made when it is first asked for, and taken down at the end. */
export class Ground {
  #clone: Clone | undefined;
  #cluster: Promise<Cluster> | undefined;
  #example: Promise<Example> | undefined;
  readonly #folders: string[] = [];

  /** A clone of this repository. */
  clone(): Clone {
    return (this.#clone ??= new Clone(this.folder()));
  }

  /** A folder with the package installed, packed as it is here, and what is installed beside it. */
  async project(...beside: string[]): Promise<string> {
    const folder = this.folder();
    await makeUserProject(folder, await this.clone().tarball(), beside);
    return folder;
  }

  /** Databases outside any command. */
  cluster(): Promise<Cluster> {
    return (this.#cluster ??= startCluster({ replicas: 2 }));
  }

  /** The example, for commands that ask it something. */
  example(): Promise<Example> {
    this.#example ??= this.cluster().then((cluster) =>
      startExample({ database: embeddedDatabase(cluster) }),
    );
    return this.#example;
  }

  /** An empty folder. */
  folder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'fresh-reads-command-'));
    this.#folders.push(folder);
    return folder;
  }

  async takeDown(): Promise<void> {
    await (await this.#example)?.stop();
    await (await this.#cluster)?.stop();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}
