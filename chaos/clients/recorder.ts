import { AsyncLocalStorage } from 'node:async_hooks';
import type { HistoryEvent, Register, Seen } from '../history';

/** No call may take longer, whatever is broken: one that does counts as failed. In milliseconds. */
const PATIENCE_MS = 20_000;

/** Around the running code: the operation, and the transaction that statements belong to. */
export interface Scope {
  readonly operation?: string | undefined;
  readonly transaction?: string | undefined;
}

/** A failure that is recorded already: whatever was going on is given up. */
export class Noted extends Error {}

/** What is known of an event beside its type, process and time. */
type Fact<Type extends HistoryEvent['type']> = Omit<
  Extract<HistoryEvent, { type: Type }>,
  'type' | 'process' | 'at'
>;

/** Writes down what one process does, in the order in which it does it. */
export class Recorder {
  /** Statements of the running call, as node and reason. */
  readonly #calls = new AsyncLocalStorage<{ by: string[] }>();
  #count = 0;

  constructor(
    readonly process: string,
    private readonly sink: (event: HistoryEvent) => void,
  ) {}

  /** A name that nobody else in the run has. */
  name(kind: string): string {
    return `${this.process}-${kind}${++this.#count}`;
  }

  /** A statement of the running call goes to a node. */
  sentTo(nodeAndReason: string): void {
    this.#calls.getStore()?.by.push(nodeAndReason);
  }

  note<Type extends HistoryEvent['type']>(type: Type, fact: Fact<Type>): void {
    const event = { type, process: this.process, at: Date.now(), ...fact };
    this.sink(event as unknown as HistoryEvent);
  }

  /**
   * Runs a call that reads `of`.
   *
   * @throws Noted when it fails
   */
  async read(
    scope: Scope,
    what: string,
    of: readonly Register[],
    call: () => Promise<Readonly<Record<Register, Seen>>>,
  ): Promise<void> {
    const id = this.name('r');
    const { operation, transaction } = scope;
    this.note('read', { id, what, operation, transaction, of });
    const context = { by: [] };
    try {
      const values = await this.#calls.run(context, () => patiently(call()));
      this.note('got', { id, values, by: context.by });
    } catch (error) {
      this.note('failed', { id, error: messageOf(error), by: context.by });
      throw new Noted(messageOf(error));
    }
  }

  /**
   * Runs a call that writes. Outside a transaction its answer is the commit's.
   *
   * @returns its id
   * @throws Noted when it fails; then the outcome is unknown, or with a transaction left to that
   */
  async write(
    scope: Scope,
    write: Omit<Fact<'write'>, 'id' | 'operation' | 'transaction'>,
    call: () => Promise<unknown>,
    onId: (id: string) => void = () => undefined,
  ): Promise<void> {
    const id = this.name('w');
    const { operation, transaction } = scope;
    this.note('write', { id, ...write, operation, transaction });
    onId(id);
    try {
      await patiently(call());
    } catch (error) {
      if (transaction === undefined) this.settle(id, 'unknown', messageOf(error));
      throw new Noted(messageOf(error));
    }
    if (transaction === undefined) this.settle(id, 'committed');
    else this.note('answered', { id });
  }

  /** An error that nobody could catch: without this the process would have ended. */
  uncaught(error: unknown): void {
    const id = this.name('x');
    this.note('read', { id, what: 'an uncaught error', of: [] });
    this.note('failed', { id, error: messageOf(error), by: [] });
  }

  /** How a write ended. `error`: why, where that was not meant to happen. */
  settle(id: string, outcome: Fact<'written'>['outcome'], error?: string): void {
    this.note('written', { id, outcome, error });
  }
}

async function patiently<T>(call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`));
    timer = setTimeout(giveUp, PATIENCE_MS);
  });
  try {
    return await Promise.race([call, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { parent } = error as { parent?: { code?: unknown } };
  const code = typeof parent?.code === 'string' ? ` (${parent.code})` : '';
  return `${error.name}: ${error.message}${code}`;
}
