export { startCluster } from './start-cluster';
export type { Cluster, ClusterSequelizeOptions } from './cluster';
export type { ClusterNode } from './node';
export type { ReplicaNode } from './replica';
export type { ClusterOptions } from './options';
