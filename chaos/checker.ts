import { Excuses } from './excuses';
import { Floors, highest, registersOf, type Floor } from './floors';
import type {
  FinalState,
  HistoryEvent,
  ReadAnswered,
  ReadFailed,
  ReadSent,
  Register,
  Seen,
  WriteEnded,
  WriteSent,
} from './history';
import { broken, tooOld, type Look, type Violation } from './violation';

interface OpenRead {
  readonly read: ReadSent;
  readonly floors: ReadonlyMap<Register, Floor>;
}

/** What an operation has to show. */
interface OperationScope {
  /** What was written, and what its session knew. */
  readonly due: Floors;
  /** What it has read itself; `undefined`: it may go back. */
  readonly seen: Floors | undefined;
}

/**
 * Proves a recorded history, or finds where it breaks a promise. Takes the events in the order in
 * which they were recorded: that of each process, and across processes that of the tokens handed on.
 *
 * Every register starts with version 0, and its versions grow in the order of their commits, since
 * one writer at a time has it.
 */
export class Checker {
  /** Reads that were answered, and held against what they had to show. */
  reads = 0;
  readonly #excuses = new Excuses();
  readonly #operations = new Map<string, OperationScope>();
  readonly #transactions = new Map<string, Floors>();
  readonly #sessions = new Map<string, Floors>();
  readonly #processes = new Map<string, Floors>();
  readonly #orphans = new Map<string, Floors>();
  readonly #writes = new Map<string, WriteSent>();
  readonly #outcomes = new Map<string, WriteEnded['outcome']>();
  /** When the commits of lossy writes were acknowledged. */
  readonly #lossy = new Map<string, number>();
  readonly #byRegister = new Map<Register, WriteSent[]>();
  readonly #open = new Map<string, OpenRead>();
  #doubts: Look[] = [];

  /** Takes one event; what it proves broken. */
  feed(event: HistoryEvent): Violation[] {
    switch (event.type) {
      case 'operation': {
        const { session, monotonic, operation } = event;
        const due = new Floors();
        if (session !== undefined) due.raiseAll(floorsOf(this.#sessions, session));
        this.#operations.set(operation, { due, seen: monotonic ? new Floors() : undefined });
        return [];
      }
      case 'token': {
        const session = floorsOf(this.#sessions, event.session);
        const { due, seen } = this.#operations.get(event.operation) ?? {};
        if (due) session.raiseAll(due);
        if (seen) session.raiseAll(seen);
        return [];
      }
      case 'ended':
        this.#operations.delete(event.operation);
        return [];
      case 'write':
        this.#sent(event);
        return [];
      case 'answered': {
        const write = this.#writes.get(event.id);
        if (write?.transaction !== undefined) {
          floorsOf(this.#transactions, write.transaction).wrote(write);
        }
        return [];
      }
      case 'written':
        return this.#written(event);
      case 'read':
        this.#open.set(event.id, { read: event, floors: this.#floorsFor(event) });
        return [];
      case 'got':
        return this.#got(event);
      case 'failed':
        return this.#failed(event);
      case 'fault':
        this.#excuses.note(event);
        return [];
      case 'final':
        return this.#final(event);
    }
  }

  #sent(write: WriteSent): void {
    this.#writes.set(write.id, write);
    for (const register of registersOf(write)) {
      const known = this.#byRegister.get(register);
      if (known) known.push(write);
      else this.#byRegister.set(register, [write]);
    }
  }

  #written({ id, outcome, error, at, process }: WriteEnded): Violation[] {
    const write = this.#writes.get(id);
    if (!write) return [];
    this.#outcomes.set(id, outcome);
    if (write.transaction !== undefined && outcome !== 'unknown') {
      this.#transactions.delete(write.transaction);
    }
    if (outcome === 'committed') {
      if (write.lossy) this.#lossy.set(id, at);
      floorsOf(this.#processes, process).wrote(write);
      if (write.operation === undefined) floorsOf(this.#orphans, process).wrote(write);
      else this.#operations.get(write.operation)?.due.wrote(write);
    }
    if (error === undefined || this.#excuses.covers(write.at, at)) return [];
    return [
      {
        ...{ kind: 'error', id, register: undefined, write: undefined, shownBy: undefined },
        text: `${write.what} failed with no fault of the primary: ${error}`,
      },
    ];
  }

  /** What a read issued now has to show at least. */
  #floorsFor(read: ReadSent): ReadonlyMap<Register, Floor> {
    const scopes: (Floors | undefined)[] = [];
    if (read.operation === undefined) scopes.push(this.#processes.get(read.process));
    else {
      const { due, seen } = this.#operations.get(read.operation) ?? {};
      scopes.push(due, this.#orphans.get(read.process), seen);
    }
    if (read.transaction !== undefined) scopes.push(this.#transactions.get(read.transaction));
    const floors = new Map<Register, Floor>();
    for (const register of read.of) {
      const floor = highest(register, scopes);
      if (floor) floors.set(register, floor);
    }
    return floors;
  }

  #got({ id, values, by }: ReadAnswered): Violation[] {
    const open = this.#open.get(id);
    if (!open) return [];
    this.#open.delete(id);
    this.reads++;
    const { read, floors } = open;
    const seen = this.#seenBy(read);
    const violations: Violation[] = [];
    for (const register of read.of) {
      const value = values[register] ?? null;
      const floor = floors.get(register);
      const violation = this.#judge({ read, register, seen: value, floor }, by);
      if (violation) violations.push(violation);
      else if (typeof value === 'number') {
        const write = this.#writer(register, value);
        seen?.raise(register, { version: value, write, shownBy: id });
      }
    }
    return violations;
  }

  /** Where what this read shows is kept; what its own transaction shows may be undone yet. */
  #seenBy({ operation, transaction }: ReadSent): Floors | undefined {
    if (operation === undefined || transaction !== undefined) return undefined;
    return this.#operations.get(operation)?.seen;
  }

  #judge(doubt: Look, by: readonly string[]): Violation | undefined {
    const { read, register, seen, floor } = doubt;
    if (seen === 'torn') {
      return broken('unwritten', doubt, `rows of ${register} that never were there together`);
    }
    const least = floor?.version ?? 0;
    if (typeof seen === 'number') {
      if (seen < least) {
        return isOfCache(doubt, by) || this.#mayBeUndone(floor?.write)
          ? undefined
          : tooOld(doubt, by);
      }
      const write = this.#writer(register, seen);
      // It may be undone yet; or another process wrote it, and its events are on their way.
      const settled = seen === 0 || (write && this.#outcomes.get(write.id) === 'committed');
      if (!settled) this.#doubts.push(doubt);
      return undefined;
    }
    if (this.#mayBeAbsent(register, least)) return undefined;
    // Whoever wrote the floor here is the only writer: nobody else can have removed it meanwhile.
    if (floor?.write?.process === read.process) return tooOld(doubt, by);
    this.#doubts.push(doubt);
    return undefined;
  }

  /** Whether a crash may have undone it after its commit was acknowledged. */
  #mayBeUndone(write: WriteSent | undefined): boolean {
    if (!write) return false;
    const at = this.#lossy.get(write.id);
    return at !== undefined && this.#excuses.mayUndo(write, at);
  }

  /** Whether a removal at `least` or later explains that there is no row. */
  #mayBeAbsent(register: Register, least: number): boolean {
    return (this.#byRegister.get(register) ?? []).some(
      ({ id, version, removes }) =>
        version >= least &&
        removes?.includes(register) === true &&
        this.#outcomes.get(id) !== 'aborted',
    );
  }

  #failed({ id, error, at }: ReadFailed): Violation[] {
    const open = this.#open.get(id);
    if (!open) return [];
    this.#open.delete(id);
    if (this.#excuses.covers(open.read.at, at)) return [];
    const { read } = open;
    const doubt = { read, register: undefined, seen: null, floor: undefined };
    return [broken('error', doubt, `failed with no fault of the primary: ${error}`)];
  }

  #final({ values }: FinalState): Violation[] {
    const late = this.#doubts.flatMap((doubt) => this.#settle(doubt) ?? []);
    this.#doubts = [];
    const lost = Object.entries(values).flatMap(
      ([register, seen]) => this.#kept(register, seen) ?? [],
    );
    return [...late, ...lost];
  }

  #settle(doubt: Look): Violation | undefined {
    const { read, register, seen, floor } = doubt;
    if (typeof seen !== 'number') {
      return this.#mayBeAbsent(register, floor?.version ?? 0) ? undefined : tooOld(doubt, []);
    }
    const write = this.#writer(register, seen);
    if (!write) {
      return broken('unwritten', doubt, `version ${seen} of ${register}, which nobody wrote`);
    }
    if (this.#outcomes.get(write.id) !== 'aborted') return undefined;
    if (read.transaction !== undefined && read.transaction === write.transaction) return undefined;
    return broken('rolled-back', doubt, `version ${seen} of ${register}, which was undone`);
  }

  /** Whether the primary's last version of a register is one that explains every acknowledged commit. */
  #kept(register: Register, seen: Seen): Violation | undefined {
    const writes = this.#byRegister.get(register) ?? [];
    const committed = writes.filter(
      (write) => this.#outcomes.get(write.id) === 'committed' && !this.#mayBeUndone(write),
    );
    const newest = committed.at(-1);
    const possible = writes.filter(
      ({ id, version }) =>
        version >= (newest?.version ?? 0) && this.#outcomes.get(id) !== 'aborted',
    );
    const explained =
      seen === null
        ? possible.some(({ removes }) => removes?.includes(register))
        : possible.some(({ version, sets }) => version === seen && sets.includes(register));
    if (explained || (seen === 0 && !newest)) return undefined;
    const got = seen === null ? 'no row' : `version ${String(seen)}`;
    return {
      ...{ kind: 'lost', id: undefined, register, write: newest?.id, shownBy: undefined },
      text: `${register}: the primary has ${got} in the end; version ${newest?.version ?? 0} was acknowledged`,
    };
  }

  #writer(register: Register, version: number): WriteSent | undefined {
    return this.#byRegister.get(register)?.findLast((write) => write.version === version);
  }
}

/** A loader gives again what it gave before, whatever other reads have shown meanwhile. */
function isOfCache({ floor }: Look, by: readonly string[]): boolean {
  return by.length === 0 && floor?.shownBy !== undefined;
}

/** Checks a whole history at once. */
export function check(history: readonly HistoryEvent[]): Violation[] {
  const checker = new Checker();
  return history.flatMap((event) => checker.feed(event));
}

function floorsOf(scopes: Map<string, Floors>, name: string): Floors {
  let floors = scopes.get(name);
  if (!floors) {
    floors = new Floors();
    scopes.set(name, floors);
  }
  return floors;
}
