import { setTimeout as pause } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import type { FreshReadsOptions } from '../src';
import { historyAround } from './around';
import { Checker } from './checker';
import { Ground } from './cluster/ground';
import { Nemesis, type Theme } from './cluster/nemesis';
import { describeEvent } from './describe';
import type { HistoryEvent } from './history';
import { Random } from './random';
import { SessionClient, type Host } from './sessions';
import { loadPackage } from './clients/package';
import { Party } from './clients/party';
import type { Violation } from './violation';
import { newRow } from './clients/rows';
import type { Family } from './clients/schema';
import { SecondProcess } from './clients/second';

export interface RoundOptions {
  readonly seed: number;
  readonly theme: Theme;
  readonly ms: number;
  readonly replicas: number;
  /** A folder with the package, as compiled. */
  readonly folder: string;
  /** False: Sequelize's own replication. */
  readonly fresh: boolean;
  /** Ends at the first violation, not when the time is over. */
  readonly stopAtFirst: boolean;
}

export interface RoundResult {
  readonly reads: number;
  /** Of those that asked a node at all. */
  readonly asked: number;
  readonly onReplicas: number;
  readonly faults: number;
  /** When the first violation was found, in milliseconds of `performance.now()`; `Infinity`: never. */
  readonly foundAt: number;
  readonly violations: readonly Violation[];
  /** Each violation with its history, as lines. */
  readonly stories: readonly string[];
}

const ROWS = 150;
const CLIENTS = 16;
const SESSIONS = 6;
const SESSION_IDS = 5001;
const SESSION_FAMILIES: readonly Family[] = ['items', 'parents', 'readings', 'notes'];
/** Known to both processes of a run, and to nobody else. */
const SECRET_BYTES = 32;
/** Of the first violations the shortest stories are told. */
const MOST_TOLD = 200;
const MOST_STORIES = 3;

/** One cluster from its start to its end: clients at work, a nemesis, and what the checker says. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { seed, theme, replicas, folder } = options;
  const idsOf = (process: number) => Array.from({ length: ROWS }, (_, i) => process * 1000 + i + 1);
  const others = [...idsOf(0), ...idsOf(1)];
  const sessionIds = Array.from({ length: SESSIONS }, (_, index) => SESSION_IDS + index);
  const ground = await Ground.start(replicas, [...others, ...sessionIds]);
  const record = new Record(options.stopAtFirst);
  const second = new SecondProcess((event) => record.take(event));
  try {
    const app = {
      sequelize: ground.options(),
      fresh: options.fresh ? freshOptions(seed) : undefined,
      primary: ground.primaryUrl(),
      nodes: ground.names(),
    };
    const partyOptions = (index: number) => ({
      ...{ process: `p${index + 1}`, seed, clients: CLIENTS, ids: idsOf(index), app },
    });
    const first = new Party(await loadPackage(folder), partyOptions(0), (event) =>
      record.take(event),
    );
    const nemesis = new Nemesis(ground, theme, seed, (fault) => record.take(fault));
    await nemesis.prepare();
    await Promise.all([first.start(), second.start(folder, partyOptions(1))]);
    nemesis.start();
    const over = new AbortController();
    const hosts: Host[] = [(plan) => first.visit(plan), (plan) => second.visit(plan)];
    const sessions = sessionIds.map((id) => {
      const rows = SESSION_FAMILIES.map((family) => newRow(family, id));
      return new SessionClient({ name: `s${id}`, seed, hosts, rows, others }).run(over.signal);
    });
    const time = pause(options.ms, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([time, record.broken, Promise.all(sessions)]);
    // The clock as well: it would keep the process up to the end of a round that has ended.
    over.abort();
    await nemesis.stop();
    await ground.heal();
    await Promise.all(sessions);
    await Promise.all([first.stop(), second.stop()]);
    await ground.quiet();
    record.take({ type: 'final', at: Date.now(), values: await ground.finalState() });
    return record.result();
  } finally {
    second.kill();
    await ground.stop();
  }
}

/** The options of the handle: another choice each round. */
function freshOptions(seed: number): FreshReadsOptions {
  const random = Random.of(seed, 'options');
  return {
    freshness: { mode: 'proven', catchUpWaitMs: random.pick([0, 0, 50]) },
    sessionSecret: randomBytes(SECRET_BYTES).toString('hex'),
    monotonicReads: random.chance(0.4),
    replicaConnectTimeoutMs: 2500,
    replicaTimeoutMs: 1000,
  };
}

/** The history as it grows, checked as it grows. */
class Record {
  readonly #history: HistoryEvent[] = [];
  readonly #checker = new Checker();
  readonly #violations: Violation[] = [];
  readonly broken: Promise<void>;
  #breaks: () => void = () => undefined;
  #asked = 0;
  #onReplicas = 0;
  #faults = 0;
  #foundAt = Infinity;

  constructor(private readonly stopAtFirst: boolean) {
    this.broken = new Promise((resolve) => (this.#breaks = resolve));
  }

  take(event: HistoryEvent): void {
    this.#history.push(event);
    if (event.type === 'fault' && event.state === 'begins') this.#faults++;
    if (event.type === 'got' && event.by.length > 0) {
      this.#asked++;
      if (event.by.every((by) => !by.startsWith('primary'))) this.#onReplicas++;
    }
    const found = this.#checker.feed(event);
    if (found.length === 0) return;
    this.#violations.push(...found);
    this.#foundAt = Math.min(this.#foundAt, performance.now());
    if (this.stopAtFirst) this.#breaks();
  }

  result(): RoundResult {
    const stories = this.#violations
      .slice(0, MOST_TOLD)
      .map((violation) => this.#story(violation))
      .sort((one, other) => one.length - other.length);
    return {
      ...{ reads: this.#checker.reads, asked: this.#asked, onReplicas: this.#onReplicas },
      ...{ faults: this.#faults, foundAt: this.#foundAt, violations: this.#violations },
      stories: stories.slice(0, MOST_STORIES),
    };
  }

  #story(violation: Violation): string {
    const from = this.#history[0]?.at ?? 0;
    const lines = historyAround(this.#history, violation).map((event) =>
      describeEvent(event, from, violation.register),
    );
    return [`${violation.kind}: ${violation.text}`, ...lines].join('\n');
  }
}
