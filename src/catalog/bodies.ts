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
    const known = this.#facts.get(definition);
    if (known !== undefined) return known;
    const before = this.#before.get(definition);
    // What could not be read is tried again: a reader may not have been ready then.
    const facts = before?.readsUnknown === false ? before : this.#read(routine, body);
    this.#facts.set(definition, facts);
    return facts;
  }

  #read({ language, definition }: Routine, body: string): BodyFacts {
    return this.analyseBody(language === 'sql' ? 'sql' : 'plpgsql', body, definition);
  }
}
