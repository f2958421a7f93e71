import { Choice } from './choice';
import type { Replica } from './replica';
import { NoReplicaLeft, type ReadRefusal, type ReadRequest } from './types';

const NO_REFUSALS: readonly ReadRefusal[] = Object.freeze([]);

/** Finds a connection for a read: of the least loaded replica first, then of the others. */
export class ReadAcquisition<C extends object> {
  readonly #replicas: ReadonlyMap<string, Replica<C>>;
  readonly #choice = new Choice();

  constructor(replicas: ReadonlyMap<string, Replica<C>>) {
    this.#replicas = replicas;
  }

  /**
   * Where `request.node` is set on return, there was nothing to wait for.
   *
   * @throws NoReplicaLeft when none of the eligible replicas can serve it; whatever `recheck` throws
   */
  acquire(request: ReadRequest<C>): Promise<C> {
    return this.#from(request, request.eligible, NO_REFUSALS);
  }

  /** A replica has left: another one may come by its name. */
  forget(node: string): void {
    this.#choice.forget(node);
  }

  #from(
    request: ReadRequest<C>,
    untried: readonly string[],
    refusals: readonly ReadRefusal[],
  ): Promise<C> {
    const replica = this.#choice.pick(untried, this.#usable);
    if (!replica) return Promise.reject(this.#refused(untried, refusals));
    const acquiring = replica.acquire();
    const { ready } = replica;
    if (ready !== undefined) {
      const refusal = takeFor(request, replica, ready);
      return refusal ? this.#elsewhere(request, untried, refusals, refusal) : acquiring;
    }
    return acquiring.then(
      (connection) => {
        const refusal = takeFor(request, replica, connection);
        return refusal ? this.#elsewhere(request, untried, refusals, refusal) : connection;
      },
      (error: unknown) => this.#elsewhere(request, untried, refusals, replica.refusalOf(error)),
    );
  }

  #elsewhere(
    request: ReadRequest<C>,
    tried: readonly string[],
    refusals: readonly ReadRefusal[],
    refusal: ReadRefusal,
  ): Promise<C> {
    const others = tried.filter((name) => name !== refusal.node);
    return this.#from(request, others, [...refusals, refusal]);
  }

  #refused(untried: readonly string[], refusals: readonly ReadRefusal[]): NoReplicaLeft {
    const unusable = untried.map(
      (node): ReadRefusal =>
        this.#replicas.get(node)?.refusal() ?? { node, because: 'unknown-node' },
    );
    return new NoReplicaLeft([...refusals, ...unusable]);
  }

  readonly #usable = (name: string): Replica<C> | undefined => {
    const replica = this.#replicas.get(name);
    return replica?.usable ? replica : undefined;
  };
}

/** Begins the read on a connection that is in hand, or gives it back and says why. */
function takeFor<C extends object>(
  request: ReadRequest<C>,
  replica: Replica<C>,
  connection: C,
): ReadRefusal | undefined {
  const refusal = replica.take(connection);
  if (refusal) return refusal;
  let eligible = false;
  try {
    eligible = request.recheck?.(replica.name, connection) ?? true;
  } finally {
    if (!eligible) replica.release(connection);
  }
  if (!eligible) return { node: replica.name, because: 'not-eligible' };
  request.node = replica.name;
  return undefined;
}
