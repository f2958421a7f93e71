import { now } from '../clock';

/** What kind of work an operation is. */
export type OperationKind = 'query' | 'mutation' | 'subscription' | 'request' | 'job';

/** Names an operation in decisions and write records. */
export interface OperationInfo {
  /** Unique in this process, or the request id that the application gave. */
  readonly id: string;
  /** The GraphQL operation's name, the job's name; `undefined` when it has none. */
  readonly name: string | undefined;
  readonly kind: OperationKind;
}

let counter = 0;

/**
 * One GraphQL operation, HTTP request or job: the unit whose own writes its reads must see.
 * It holds one state a handle, so that several Sequelize instances in one process stay apart.
 */
export class Operation {
  /** Its name card: kept by records and decisions, which must not keep the operation itself alive. */
  readonly info: OperationInfo;
  /** One that went before (it built the context of this one) and whose writes count here as well. */
  readonly follows: Operation | undefined;
  /** Monotonic milliseconds at which it was opened. */
  readonly beganAt = now();
  readonly #states = new Map<object, unknown>();
  #ended = false;

  constructor(options: {
    id?: string;
    name?: string;
    kind: OperationKind;
    follows?: Operation | undefined;
  }) {
    this.info = Object.freeze({
      id: options.id ?? `op-${++counter}`,
      name: options.name,
      kind: options.kind,
    });
    this.follows = options.follows;
  }

  /** Over: what is opened inside its context from now on is an operation of its own. */
  get ended(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
  }

  /** What `owner` keeps with this operation, or `undefined` when nothing has been kept yet. */
  peek(owner: object): unknown {
    return this.#states.get(owner);
  }

  /** What `owner` keeps with this operation, made by `create` at the first call. */
  state<State>(owner: object, create: () => State): State {
    let state = this.#states.get(owner) as State | undefined;
    if (state === undefined) {
      state = create();
      this.#states.set(owner, state);
    }
    return state;
  }
}
