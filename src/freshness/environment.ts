import type { NodeConnection } from './policy';

/** A connection of its own for the probes of one node. */
export interface ProbeConnection extends NodeConnection {
  /** Calls `fn` once when the connection ends without `close` having been called. */
  onLost(fn: () => void): void;
  /** Ends the connection at once, whatever it is doing. */
  close(): Promise<void>;
}

/** What the probes need of the world. */
export interface ProbeEnvironment {
  /** The name of the primary. */
  readonly primary: string;
  /** The names of the replicas at the start. */
  readonly replicas: readonly string[];
  /**
   * Opens a dedicated connection to `node`. It must not keep the process alive while it is idle, nor
   * share anything with the application's pools. No time limit needed: an attempt that takes too
   * long is given up here, and the connection is closed if it comes after all.
   */
  openProbe(node: string): Promise<ProbeConnection>;
  /** The logical time of this process: commits acknowledged from now on have a higher `seq`. */
  logicalTime(): number;
  /** Something the operator should know, said once. */
  onWarning(message: string): void;
  /**
   * Behind the name `node` is another server now (a failover, an unseen restart): connections opened
   * earlier under this name belong to the old one, and have to be dropped.
   */
  onNodeChanged?(node: string): void;
  /** `node` shows more than before, or may be used again. */
  onProgress?(node: string): void;
}
