import { setTimeout as pause } from 'node:timers/promises';
import { Random } from './random';
import type { Row } from './clients/rows';
import type { VisitOutcome, VisitPlan } from './clients/visit';

/** Where a session can go: one of the processes. */
export type Host = (plan: VisitPlan) => Promise<VisitOutcome>;

const LONGEST_PAUSE_MS = 60;
/** How often a client has two requests under way at a time. */
const PARALLEL = 0.3;

/** One client who goes from process to process, and carries its tokens. */
export class SessionClient {
  readonly #name: string;
  readonly #hosts: readonly Host[];
  readonly #others: readonly number[];
  readonly #random: Random;
  #rows: readonly Row[];
  #tokens: readonly string[] = [];
  #visits = 0;

  constructor(parts: {
    name: string;
    seed: number;
    hosts: readonly Host[];
    rows: readonly Row[];
    others: readonly number[];
  }) {
    this.#name = parts.name;
    this.#hosts = parts.hosts;
    this.#rows = parts.rows;
    this.#others = parts.others;
    this.#random = Random.of(parts.seed, 'session', parts.name);
  }

  /** Goes on until `over`. */
  async run(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await (this.#random.chance(PARALLEL) ? this.#twoAtATime() : this.#one());
      await pause(this.#random.between(0, LONGEST_PAUSE_MS));
    }
  }

  async #one(): Promise<void> {
    const { token, rows, failed } = await this.#visit(this.#rows);
    this.#rows = rows;
    // Without an answer the client has what it had before.
    if (!failed) this.#tokens = token === undefined ? [] : [token];
  }

  /** Each gives a token, and neither knows of the other: the next request brings both. */
  async #twoAtATime(): Promise<void> {
    const half = Math.ceil(this.#rows.length / 2);
    const outcomes = await Promise.all([
      this.#visit(this.#rows.slice(0, half)),
      this.#visit(this.#rows.slice(half)),
    ]);
    this.#rows = outcomes.flatMap(({ rows }) => rows);
    const fresh = outcomes.flatMap(({ token }) => token ?? []);
    const kept = outcomes.some(({ failed }) => failed) ? this.#tokens : [];
    this.#tokens = [...kept, ...fresh];
  }

  #visit(rows: readonly Row[]): Promise<VisitOutcome> {
    const host = this.#random.pick(this.#hosts);
    const number = ++this.#visits;
    const plan = { session: this.#name, number, tokens: this.#tokens, rows, others: this.#others };
    return host(plan);
  }
}
