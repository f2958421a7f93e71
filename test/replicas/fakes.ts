import type { NodeSpec, PoolSettings, Timers } from '../../src/replicas';

/** A clock that stands still until it is turned. */
export class FakeTimers implements Timers {
  #now = 0;
  readonly #waiting = new Set<{ at: number; fn: () => void }>();

  now(): number {
    return this.#now;
  }

  later(ms: number, fn: () => void): { cancel(): void } {
    const timer = { at: this.#now + ms, fn };
    this.#waiting.add(timer);
    return { cancel: () => void this.#waiting.delete(timer) };
  }

  get pending(): number {
    return this.#waiting.size;
  }

  /** Turns the clock on, running what is due in order and letting promises settle in between. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = [...this.#waiting].sort((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.#waiting.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.fn();
      await settle();
    }
    this.#now = end;
  }

  /** The process was blocked: everything due meanwhile runs late, all at once. */
  async block(ms: number): Promise<void> {
    this.#now += ms;
    for (const timer of [...this.#waiting].filter(({ at }) => at <= this.#now)) {
      this.#waiting.delete(timer);
      timer.fn();
    }
    await settle();
  }
}

/** Lets everything that only waits for promises and for the pool's ticks run to its end. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export interface FakeConnection {
  readonly node: string;
  readonly number: number;
  good: boolean;
  closed: 'no' | 'politely' | 'by force';
}

export const POOL: PoolSettings = { max: 3, min: 0, idle: 10_000, acquire: 5_000, evict: 1_000 };

/** A node whose connects do what its `mode` says. */
export class FakeNode {
  mode: 'up' | 'refuses' | 'full' | 'frozen' = 'up';
  connects = 0;
  readonly opened: FakeConnection[] = [];
  /** Connects wait here until let go. */
  gate: Promise<void> = Promise.resolve();
  readonly #frozen: (() => void)[] = [];

  constructor(readonly name: string) {}

  get open(): FakeConnection[] {
    return this.opened.filter(({ closed }) => closed === 'no');
  }

  /** Whatever waits for the frozen node is answered at last. */
  thaw(): void {
    this.mode = 'up';
    for (const go of this.#frozen.splice(0)) go();
  }

  spec(change: Partial<NodeSpec<FakeConnection>> = {}): NodeSpec<FakeConnection> {
    return {
      name: this.name,
      connect: () => this.#connect(),
      disconnect: async (connection) => {
        await this.#answer();
        if (connection.closed === 'no') connection.closed = 'politely';
      },
      sever: (connection) => {
        connection.closed = 'by force';
        connection.good = false;
      },
      validate: (connection) => connection.good && connection.closed === 'no',
      pool: POOL,
      ...change,
    };
  }

  async #connect(): Promise<FakeConnection> {
    this.connects += 1;
    await this.gate;
    await this.#answer();
    if (this.mode === 'refuses') throw failure('ECONNREFUSED');
    if (this.mode === 'full') throw failure('53300');
    const connection: FakeConnection = {
      node: this.name,
      number: this.opened.length + 1,
      good: true,
      closed: 'no',
    };
    this.opened.push(connection);
    return connection;
  }

  async #answer(): Promise<void> {
    if (this.mode === 'frozen') await new Promise<void>((go) => this.#frozen.push(go));
  }
}

export function failure(code: string): Error {
  return Object.assign(new Error(`failed with ${code}`), { code });
}
