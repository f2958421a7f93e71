import { Op, literal, type Model, type ModelStatic, type Transaction } from 'sequelize';
import { OptionsError } from '../errors';
import { runAtOnce } from './at-once';
import { arrayText, codecOf, wholeLiteral, idOf, type Codec, type KeyId } from './codec';
import { valueFor, type AnyOptions } from './options';
import { ORDINAL, runPerKey } from './per-key';
import { valueOf, type Place, type Row } from './place';
import { pageOf, rowQuery, scopeOf, scoped, type Page } from './query';
import type { BatchContext, LoadKey } from './types';

type Groups = Row[][];

/**
 * Finds the rows of many keys in one statement.
 *
 * Where all rows of a key are wanted, and the text of a key in a row is the text it was asked by,
 * that is a plain finder with `= ANY(keys)`, and rows are sorted out here. Else the statement runs
 * once a key beside the list of keys, and says of each row which key it answers.
 */
export class Finder {
  readonly #label: string;
  readonly #place: Place;
  readonly #options: AnyOptions;
  readonly #codec: Codec | undefined;
  /** A row came whose key looks otherwise than it was asked for: then only the server can match. */
  #serverMatches: boolean;
  /** A hook of the model gives queries a limit or an offset: it is to count for each key. */
  #hookPages = false;

  constructor(label: string, place: Place, options: AnyOptions) {
    this.#label = label;
    this.#place = place;
    this.#options = options;
    const [column] = place.columns;
    const codec = column && codecOf(column.model.getAttributes()[column.attribute]?.type);
    this.#codec = codec;
    this.#serverMatches = place.columns.length !== 1 || !codec?.exact;
  }

  /** The rows of each key, in the order of the keys. */
  async find(keys: readonly LoadKey[], context: BatchContext<unknown>): Promise<Groups> {
    const job = this.#job(keys, context);
    return (await this.#matchHere(job, rowsByText)) ?? this.#matchOnServer(job);
  }

  /** The first row of each key, in the order of the keys; `null` where there is none. */
  async findFirst(
    keys: readonly LoadKey[],
    context: BatchContext<unknown>,
  ): Promise<(Row | null)[]> {
    const job = this.#job(keys, context);
    const found = await this.#matchHere(job, firstByText);
    return found ?? (await this.#matchOnServer(job)).map(([row]) => row ?? null);
  }

  #job(keys: readonly LoadKey[], { args, transaction }: BatchContext<unknown>): Job {
    const model = scoped(this.#place.model, this.#options.scope);
    const page = pageOf(this.#label, this.#options, scopeOf(model), args);
    return { model, keys, args, transaction, page };
  }

  async #matchHere<Found>(job: Job, match: Match<Found>): Promise<Found[] | undefined> {
    if (!this.#canMatchHere(job)) return undefined;
    const rows = this.#isPaged(job)
      ? await this.#queryPerKey(job, false)
      : await this.#queryAtOnce(job);
    if (!rows) {
      this.#hookPages = true;
      return this.#matchHere(job, match);
    }
    const found = match(job.keys, rows, this.#idOf);
    if (!found) this.#serverMatches = true;
    return found;
  }

  /** Whether rows can be matched by the text of their key. */
  #canMatchHere(job: Job): boolean {
    if (this.#serverMatches || this.#place.hidesKey(job.model, this.#options.attributes)) {
      return false;
    }
    return !this.#mayBeAlike(job);
  }

  #isPaged({ page }: Job): boolean {
    return page !== undefined || this.#hookPages;
  }

  readonly #idOf = (row: Row): KeyId | undefined =>
    this.#codec && idOf(this.#codec, this.#place.keyOf(row));

  async #matchOnServer(job: Job): Promise<Groups> {
    const { keys, model } = job;
    const groups = this.#byOrdinal(keys, await this.#queryPerKey(job, true));
    const joins = this.#options.include !== undefined || scopeOf(model).include !== undefined;
    const empty = keys.filter((_, index) => groups[index]?.length === 0);
    if (!joins || empty.length === 0 || empty.length === keys.length) return groups;
    // Beside joined rows Sequelize makes one instance of all rows with the same primary key: of two
    // keys that the column takes for the same, the second got nothing.
    const again = await this.#matchOnServer({ ...job, keys: empty });
    return groups.map((group) => (group.length === 0 ? (again.shift() ?? group) : group));
  }

  /** Whether the column may take two of the keys for the same: a row then answers both. */
  #mayBeAlike(job: Job): boolean {
    const { keys } = job;
    const alike = this.#codec?.alike;
    if (!alike || keys.length < 2) return false;
    // A statement once a key gives such a row twice, and does not say which is whose.
    if (this.#isPaged(job)) return true;
    const classes = new Set<string>();
    for (const { id } of keys) {
      const own = alike(String(id));
      if (own === undefined) return true;
      classes.add(own);
    }
    return classes.size < keys.length;
  }

  #byOrdinal(keys: readonly LoadKey[], rows: readonly Row[]): Groups {
    const groups: Groups = keys.map(() => []);
    for (const row of rows) {
      const group = groups[takeOrdinal(row) - 1];
      if (!group) {
        throw new OptionsError(
          `${this.#label}: a row came without the number of its key; a hook may have taken it away.`,
        );
      }
      group.push(row);
    }
    return groups;
  }

  #queryAtOnce(job: Job): Promise<Row[] | undefined> {
    const ids = job.keys.map(({ id }) => id);
    const whole = this.#codec?.whole;
    // Without a type the list takes that of the column it is compared with.
    const list = whole
      ? wholeLiteral(whole, ids)
      : sequelizeOf(job.model).escape(arrayText(ids.map(String)));
    const any = `ANY(${list})`;
    return runAtOnce(job.model, any, () =>
      this.#query(
        job,
        this.#conditions(() => literal(any)),
      ),
    );
  }

  #queryPerKey(job: Job, numbered: boolean): Promise<Row[]> {
    return runPerKey(
      this.#label,
      this.#place.columns,
      job.keys.map(({ value }) => (Array.isArray(value) ? (value as string[]) : [String(value)])),
      (marks) =>
        this.#query(
          job,
          this.#conditions((index) => marks.part(index)),
          numbered ? marks.ordinal() : undefined,
          job.page,
        ),
    );
  }

  #conditions(valueOfColumn: (index: number) => unknown): Record<string, unknown> {
    const keys: Record<string, unknown> = {};
    this.#place.columns.forEach(({ attribute }, index) => {
      keys[attribute] = { [Op.eq]: valueOfColumn(index) };
    });
    return keys;
  }

  #query(job: Job, keys: Record<string, unknown>, extra?: unknown, page?: Page): Promise<Row[]> {
    const { model, args, transaction } = job;
    const place = this.#place;
    const base = rowQuery(this.#label, this.#options, args, transaction);
    if (page) Object.assign(base, page);
    const query = place.build(model, {
      base,
      attributes: this.#options.attributes,
      extra,
      keys,
      where: [place.where, valueFor(this.#label, 'where', this.#options.where, args)],
    });
    return model.findAll(query) as Promise<unknown> as Promise<Row[]>;
  }
}

interface Job {
  readonly model: ModelStatic<Model>;
  readonly keys: readonly LoadKey[];
  readonly args: unknown;
  readonly transaction: Transaction | null;
  readonly page: Page | undefined;
}

/** What each key gets of the rows; `undefined` when there is a row that nobody asked for. */
type Match<Found> = (
  keys: readonly LoadKey[],
  rows: readonly Row[],
  idOf: (row: Row) => KeyId | undefined,
) => Found[] | undefined;

const rowsByText: Match<Row[]> = (keys, rows, idOf) => {
  const byId = new Map<KeyId, Row[]>();
  for (const row of rows) {
    const id = idOf(row);
    if (id === undefined) return undefined;
    const group = byId.get(id);
    if (group) group.push(row);
    else byId.set(id, [row]);
  }
  return taken(keys, byId, () => []);
};

const firstByText: Match<Row | null> = (keys, rows, idOf) => {
  const byId = new Map<KeyId, Row>();
  // Backwards: the first one stays.
  for (const row of rows.toReversed()) {
    const id = idOf(row);
    if (id === undefined) return undefined;
    byId.set(id, row);
  }
  return taken(keys, byId, () => null);
};

/** Keys are all different: what none of them takes is of another one. */
function taken<Found, None>(
  keys: readonly LoadKey[],
  byId: ReadonlyMap<KeyId, Found>,
  none: () => None,
): (Found | None)[] | undefined {
  let hits = 0;
  const found = keys.map(({ id }) => {
    const value = byId.get(id);
    if (value === undefined) return none();
    hits++;
    return value;
  });
  return hits === byId.size ? found : undefined;
}

/** The number of the key that a row answers; the row does not keep it. */
function takeOrdinal(row: Row): number {
  const ordinal = Number(valueOf(row, ORDINAL));
  const { _previousDataValues: previous } = row as { _previousDataValues?: object };
  for (const values of [row.dataValues ?? row, previous]) {
    if (values) Reflect.deleteProperty(values, ORDINAL);
  }
  return ordinal;
}

export function sequelizeOf(model: ModelStatic<Model>) {
  const { sequelize } = model;
  if (sequelize) return sequelize;
  throw new OptionsError(`${model.name} has not been initialised: call its init first.`);
}
