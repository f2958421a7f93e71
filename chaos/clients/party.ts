import { setTimeout as pause } from 'node:timers/promises';
import type { HistoryEvent } from '../history';
import { Random } from '../random';
import { App, type AppOptions } from './app';
import type { LoadedPackage } from './package';
import { Queue } from './queue';
import { Noted, Recorder, messageOf } from './recorder';
import { Rows } from './rows';
import { GENERAL, type Scenario } from './scenarios';
import { FAMILIES } from './schema';
import { SPECIAL } from './special';
import { visit, type VisitOutcome, type VisitPlan } from './visit';
import { Worker, type Shared } from './worker';

/** What one process is to do. Plain data. */
export interface PartyOptions {
  /** Its name in the history. */
  readonly process: string;
  readonly seed: number;
  readonly clients: number;
  /** The rows that it writes, in every table. */
  readonly ids: readonly number[];
  readonly app: AppOptions;
}

const LONGEST_PAUSE_MS = 12;
/** After a failure, so that an outage is not a storm of attempts. */
const SORRY_MS = 50;

/** The clients of one process, on one application. */
export class Party {
  readonly app: App;
  readonly recorder: Recorder;
  readonly #options: PartyOptions;
  readonly #rows: Rows;
  readonly #over = new AbortController();
  readonly #shared: Shared = {
    queue: new Queue(),
    busy: new Set<string>(),
    over: this.#over.signal,
  };
  readonly #failures: string[] = [];
  #running: Promise<void>[] = [];
  readonly #onUncaught = (error: unknown) => this.recorder.uncaught(error);

  constructor(loaded: LoadedPackage, options: PartyOptions, sink: (event: HistoryEvent) => void) {
    this.#options = options;
    this.recorder = new Recorder(options.process, sink);
    this.app = new App(loaded, options.app, this.recorder);
    this.#rows = new Rows(FAMILIES, options.ids);
  }

  /** Resolves once the clients are at work. */
  async start(): Promise<void> {
    process.on('uncaughtException', this.#onUncaught);
    await this.app.ready();
    this.#running = Array.from({ length: this.#options.clients }, (_, index) =>
      this.#client(index),
    );
  }

  /**
   * Resolves once every client has done what it was at.
   *
   * @throws Error when one of them failed in a way that is no part of the history
   */
  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#running);
    this.#shared.queue.close();
    await this.app.close();
    process.off('uncaughtException', this.#onUncaught);
    if (this.#failures[0] !== undefined) throw new Error(this.#failures[0]);
  }

  /** Runs one operation of a session. */
  visit(plan: VisitPlan): Promise<VisitOutcome> {
    return visit(this.#worker(`${plan.session}/${plan.number}`), plan);
  }

  #worker(name: string | number): Worker {
    const random = Random.of(this.#options.seed, this.#options.process, name);
    return new Worker(this.app, this.recorder, this.#rows, random, this.#shared);
  }

  async #client(index: number): Promise<void> {
    const worker = this.#worker(index);
    // Apart from what scenarios draw, which depends on what they meet.
    const plan = Random.of(this.#options.seed, this.#options.process, index, 'plan');
    const choices = [...GENERAL, ...SPECIAL].map((scenario): [number, Scenario] => [
      scenario.weight,
      scenario,
    ]);
    while (!this.#over.signal.aborted) {
      const scenario = plan.weighted(choices);
      try {
        await scenario.run(worker);
        await pause(worker.random.between(0, LONGEST_PAUSE_MS));
      } catch (error) {
        if (!(error instanceof Noted)) {
          const trace = error instanceof Error ? (error.stack ?? '') : '';
          this.#failures.push(`${scenario.name}: ${messageOf(error)}\n${trace}`);
        }
        await pause(SORRY_MS);
      }
    }
  }
}
