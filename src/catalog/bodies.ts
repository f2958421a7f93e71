import { now } from '../clock';
import type { Routine } from './model';
import type { AnalyseBody, BodyFacts } from './types';

const nextTurn = globalThis.setImmediate;
/** How long bodies are read in one go before others get their turn, in milliseconds. */
const SLICE_MS = 5;

/** What is known of bodies by their definition, for each way of reading them; a catalog read again finds most of them here. */
const kept = new WeakMap<AnalyseBody, ReadonlyMap<string, BodyFacts>>();

/** Reads the bodies of functions, each once: parsing takes a good part of a millisecond. */
export class Bodies {
  readonly #facts = new Map<string, BodyFacts>();
  readonly #before: ReadonlyMap<string, BodyFacts>;

  constructor(private readonly analyseBody: AnalyseBody) {
    this.#before = kept.get(analyseBody) ?? new Map<string, BodyFacts>();
  }

  /** Reads them all without holding up the process, so that {@link of} finds them read. */
  async readAll(routines: Iterable<Routine>): Promise<void> {
    let begun = now();
    for (const routine of routines) {
      if (routine.body === null) continue;
      this.of(routine, routine.body);
      if (now() - begun < SLICE_MS) continue;
      await new Promise<void>((resolve) => nextTurn(resolve));
      begun = now();
    }
    kept.set(this.analyseBody, this.#facts);
  }

  of(routine: Routine, body: string): BodyFacts {
    const { definition } = routine;
    let facts = this.#facts.get(definition) ?? this.#before.get(definition);
    if (facts === undefined) {
      const language = routine.language === 'sql' ? 'sql' : 'plpgsql';
      facts = this.analyseBody(language, body, definition);
    }
    this.#facts.set(definition, facts);
    return facts;
  }
}
