import { Noted } from './recorder';
import type { Row } from './rows';
import { FAMILIES, TABLES } from './schema';
import type { Place, Worker } from './worker';

/** One operation of a session. Plain data: it may be done in another process. */
export interface VisitPlan {
  readonly session: string;
  /** Names this visit among those of the session: what it does follows from that. */
  readonly number: number;
  readonly tokens: readonly string[];
  /** The rows that nobody but the session writes, and no other visit meanwhile. */
  readonly rows: readonly Row[];
  /** The rows of others, for a look. */
  readonly others: readonly number[];
}

export interface VisitOutcome {
  readonly token: string | undefined;
  /** The rows as they are now; without those of which that is not known. */
  readonly rows: readonly Row[];
  /** A call failed: the client got no token. */
  readonly failed: boolean;
}

/** Writes and reads what is the session's, and reads what is others'. */
export async function visit(worker: Worker, plan: VisitPlan): Promise<VisitOutcome> {
  const rows = plan.rows.map((row) => ({ ...row }));
  const inDoubt = new Set<Row>();
  const { random } = worker;
  try {
    const { token } = await worker.app.operation(async (place) => {
      for (const row of rows) await worker.readBack(place, row);
      for (const row of random.sample(rows, random.between(0, 2))) {
        inDoubt.add(row);
        await worker.write(place, row);
        inDoubt.delete(row);
        await worker.readBack(place, row);
      }
      for (let i = 0; i < 3; i++) await lookAround(worker, place, random.pick(plan.others));
    }, plan);
    return { token, rows, failed: false };
  } catch (error) {
    if (!(error instanceof Noted)) throw error;
    return { token: undefined, rows: rows.filter((row) => !inDoubt.has(row)), failed: true };
  }
}

/** The same row more than once: the second look must not be older. */
async function lookAround(worker: Worker, place: Place, id: number): Promise<void> {
  const { random } = worker;
  const families = FAMILIES.filter((family) => family !== 'tags' && family !== 'late');
  const table = random.pick(TABLES[random.pick(families)]);
  for (let i = 0; i < 2; i++) await worker.read(place, worker.readerFor(place, table), [id]);
}
