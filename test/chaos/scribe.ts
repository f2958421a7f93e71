import { check } from '../../chaos/checker';
import type { HistoryEvent, Seen } from '../../chaos/history';
import type { Violation } from '../../chaos/violation';

const ROW = 'items/1';

/** Writes a history down, one event a call, in the order of the calls. */
export class Scribe {
  readonly events: HistoryEvent[] = [];
  #at = 1_000_000;

  /** Time passes, in milliseconds. */
  later(ms: number): this {
    this.#at += ms;
    return this;
  }

  begin(operation: string, session?: string, process = 'a', monotonic = false): this {
    return this.#add({ type: 'operation', process, operation, session, monotonic });
  }

  /** One that may not go back behind what it has seen. */
  beginMonotonic(operation: string, session?: string): this {
    return this.begin(operation, session, 'a', true);
  }

  end(operation: string, process = 'a'): this {
    return this.#add({ type: 'ended', process, operation });
  }

  token(operation: string, session: string, process = 'a'): this {
    return this.#add({ type: 'token', process, operation, session });
  }

  send(version: number, facts: Facts = {}): this {
    const { id = `w${version}`, process = 'a', removes = false } = facts;
    const { operation, transaction, lossy } = facts;
    const rows = removes ? { sets: [], removes: [ROW] } : { sets: [ROW] };
    const shared = { id, process, operation, transaction, lossy };
    return this.#add({ type: 'write', what: 'update', version, ...shared, ...rows });
  }

  answered(id: string, process = 'a'): this {
    return this.#add({ type: 'answered', id, process });
  }

  settled(
    id: string,
    outcome: 'committed' | 'aborted' | 'unknown',
    error?: string,
    process = 'a',
  ): this {
    return this.#add({ type: 'written', id, outcome, error, process });
  }

  write(version: number, facts: Facts = {}): this {
    const { id = `w${version}`, process } = facts;
    return this.send(version, facts).settled(id, 'committed', undefined, process);
  }

  ask(id: string, { process = 'a', operation, transaction }: Facts = {}): this {
    return this.#add({
      type: 'read',
      what: 'find',
      id,
      process,
      operation,
      transaction,
      of: [ROW],
    });
  }

  got(id: string, seen: Seen, process = 'a'): this {
    return this.#add({
      type: 'got',
      id,
      process,
      values: { [ROW]: seen },
      by: ['replica1 caught-up'],
    });
  }

  /** Answered by no node. */
  cached(id: string, seen: Seen): this {
    return this.#add({ type: 'got', id, process: 'a', values: { [ROW]: seen }, by: [] });
  }

  failed(id: string, error: string): this {
    return this.#add({ type: 'failed', id, process: 'a', error, by: ['replica1'] });
  }

  read(id: string, seen: Seen, facts: Facts = {}): this {
    return this.ask(id, facts).got(id, seen, facts.process);
  }

  fault(node: string, state: 'begins' | 'ends', id = 'f1'): this {
    return this.#add({ type: 'fault', node, what: 'kill', state, id });
  }

  final(seen: Seen): this {
    return this.#add({ type: 'final', values: { [ROW]: seen } });
  }

  get violations(): Violation[] {
    return check(this.events);
  }

  get kinds(): string[] {
    return this.violations.map(({ kind, id }) => `${kind} ${id ?? ''}`.trim());
  }

  #add(event: Record<string, unknown>): this {
    this.events.push({ ...event, at: this.#at++ } as unknown as HistoryEvent);
    return this;
  }
}

export interface Facts {
  id?: string;
  process?: string;
  operation?: string;
  transaction?: string;
  removes?: boolean;
  lossy?: boolean;
}
