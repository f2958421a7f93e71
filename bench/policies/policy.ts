import type { Bed, Models } from './bed';

/** One way to decide which node a read goes to. */
export interface Policy {
  readonly name: string;
  start(bed: Bed): Promise<PolicyRun> | PolicyRun;
}

export interface PolicyRun {
  /** Runs one operation of a user's client from the request to the response. */
  operation(caller: Caller, work: (routes: Routes) => Promise<void>): Promise<void>;
  /** How long reads were held back, in milliseconds, one number for each that was. */
  readonly waits: readonly number[];
  stop(): Promise<void>;
}

export interface Caller {
  readonly user: number;
  readonly kind: 'query' | 'mutation';
}

/** What the policy has to say within one operation. */
export interface Routes {
  /** Where a read of `table` is to be sent. */
  read(table: number): Place | Promise<Place>;
  /** Where writes are to be sent. */
  readonly write: Models;
  /** A write of `table` was committed; awaited before anything else is sent. */
  wrote(table: number): void | Promise<void>;
}

export interface Place {
  readonly models: Models;
  /** Sequelize's own option for a single query. */
  readonly useMaster?: boolean;
}
