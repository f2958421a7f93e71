import { notInCatalog, unknownCall } from './closure-read';
import type { Effects } from './effects';
import type { ResolvedFacts, ResolvedWrite } from './facts';
import {
  Action,
  type KeyAction,
  type Model,
  type Relation,
  type Routine,
  type Trigger,
} from './model';
import type { ReadGraph } from './reach';
import type { WriteClosure } from './types';

/** What a statement can change, with all that the database adds. */
export class WriteClosures {
  constructor(
    private readonly model: Model,
    private readonly graph: ReadGraph,
    private readonly effects: Effects,
  ) {}

  ofFacts(facts: ResolvedFacts, anySchema: boolean): WriteClosure {
    const missing = [...facts.missingReads, ...facts.missingWrites, ...facts.missingRoutines];
    const walk = new WriteWalk(this.graph, this.effects, anySchema);
    for (const write of facts.writes) walk.write(write);
    // What is read may write as well: a view may call a function that does.
    walk.call([...facts.routines, ...this.graph.routinesOf(this.model.implicit)], facts.reads);
    const tables = walk.run();
    const because =
      missing.length > 0
        ? notInCatalog(missing)
        : (unknownCall(facts.temporaryRoutines) ?? this.model.writesUnknown ?? walk.unknown);
    return Object.freeze({
      tables: Object.freeze(tables),
      unknown: because !== undefined,
      missing: Object.freeze(missing),
      because,
    });
  }
}

/** What is noted already for one relation, so that cycles of cascades end. */
interface Noted {
  actions: number;
  /** By TRUNCATE ... CASCADE. */
  cascade: boolean;
  /** Updates of any column. */
  anyColumn: boolean;
  /** Columns that updates assign. */
  readonly columns: Set<string>;
}

class WriteWalk {
  /** Why the statement may write anything. */
  unknown: string | undefined;
  readonly #noted = new Map<Relation, Noted>();
  readonly #pending: ResolvedWrite[] = [];
  readonly #called = new Set<Routine>();
  readonly #excused = new Set<Routine>();

  constructor(
    private readonly graph: ReadGraph,
    private readonly effects: Effects,
    private readonly anySchema: boolean,
  ) {}

  /** Follows everything noted, to the end. */
  run(): string[] {
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      this.#follow(next);
    }
    return [...new Set([...this.#noted.keys()].map((relation) => relation.key))];
  }

  /** Notes a write, unless it adds nothing to what is noted for that relation. */
  write({ relation, actions, cascade, columns: assigned }: ResolvedWrite): void {
    const columns = knownColumns(relation, assigned);
    let noted = this.#noted.get(relation);
    if (noted === undefined) {
      noted = { actions: 0, cascade: false, anyColumn: false, columns: new Set() };
      this.#noted.set(relation, noted);
    }
    const before = [noted.actions, noted.cascade, noted.anyColumn, noted.columns.size].join();
    noted.actions |= actions;
    noted.cascade ||= cascade;
    if ((actions & Action.update) !== 0) {
      noted.anyColumn ||= columns === undefined;
      for (const column of columns ?? []) noted.columns.add(column);
    }
    const after = [noted.actions, noted.cascade, noted.anyColumn, noted.columns.size].join();
    if (after !== before) this.#pending.push({ relation, actions, columns, cascade });
  }

  /** Notes what these functions write, and those that reading these relations calls. */
  call(routines: Iterable<Routine>, reads: Iterable<Relation> = [], excused = false): void {
    const done = excused ? this.#excused : this.#called;
    const reach = this.graph.reach(reads, routines, this.anySchema);
    for (const routine of reach.routines) {
      if (done.has(routine)) continue;
      done.add(routine);
      const effect = this.effects.of(routine, this.anySchema);
      for (const write of effect.writes) this.write(write);
      if (!excused) this.unknown ??= effect.writesUnknown;
    }
  }

  #follow(write: ResolvedWrite): void {
    const { relation, actions } = write;
    this.#followChildren(write);
    this.#followForeignKeys(write);
    // Names of the user stand in for what triggers and rules can't tell.
    const excused = relation.related !== undefined;
    for (const related of this.graph.relationsOf(relation.related ?? [])) {
      this.#change(related, Action.insert | Action.update | Action.delete);
    }
    for (const trigger of relation.triggers) {
      if (!fires(trigger, write)) continue;
      this.call(this.graph.routinesOf([trigger.routine, ...trigger.condition]), [], excused);
    }
    for (const rule of relation.rules) {
      if ((rule.action & actions) === 0) continue;
      // Which of them it only reads can't be told from ids: all count as written.
      for (const target of this.graph.relationsOf(rule.relations)) {
        if (target !== relation)
          this.#change(target, Action.insert | Action.update | Action.delete);
      }
      this.call(this.graph.routinesOf(rule.routines), [], excused);
    }
    this.#followDefinition(write);
    if ((actions & (Action.insert | Action.update)) !== 0) {
      this.call(this.graph.routinesOf(relation.expressions));
    }
    for (const policy of relation.policies) {
      this.call(this.graph.routinesOf(policy.routines), this.graph.relationsOf(policy.relations));
    }
  }

  /** Rows of a partitioned table lie in its partitions; an update of its key moves them from one to another. */
  #followChildren({ relation, actions, columns, cascade }: ResolvedWrite): void {
    const moves = (actions & Action.update) !== 0 && mayAssign(columns, relation.partitionColumns);
    const below = moves ? actions | Action.insert | Action.delete : actions;
    for (const child of this.graph.relationsOf(relation.children)) {
      this.write({ relation: child, actions: below, columns, cascade });
    }
  }

  #followForeignKeys(write: ResolvedWrite): void {
    const { relation, actions, cascade } = write;
    for (const key of relation.referencedBy) {
      const referencing = this.graph.relationsOf([key.referencing]);
      const change = (action: KeyAction): void => {
        if (action === 'none') return;
        for (const target of referencing) {
          if (action === 'delete') this.#change(target, Action.delete);
          else this.#change(target, Action.update, key.referencingColumns);
        }
      };
      if ((actions & Action.delete) !== 0) change(key.onDelete);
      if ((actions & Action.update) !== 0 && this.#mayChangeKey(write, key)) change(key.onUpdate);
      if ((actions & Action.truncate) !== 0 && cascade) {
        for (const target of referencing) {
          this.write({ relation: target, actions: Action.truncate, columns: undefined, cascade });
        }
      }
    }
  }

  #mayChangeKey(
    write: ResolvedWrite,
    key: { readonly computed: boolean; readonly referencedColumns: ReadonlySet<string> },
  ): boolean {
    if (key.computed || mayAssign(write.columns, key.referencedColumns)) return true;
    return write.relation.triggers.some((trigger) => {
      if (!trigger.beforeRow || !fires(trigger, write)) return false;
      // It may put another row in place of the new one; its text would have to name the column.
      const [routine] = this.graph.routinesOf([trigger.routine]);
      return routine !== undefined && mentionsAny(routine, key.referencedColumns);
    });
  }

  /** A write to a view goes to what it selects from; a refresh runs what a materialized view is made of. */
  #followDefinition({ relation, actions }: ResolvedWrite): void {
    for (const { relations, routines } of relation.definition) {
      const base = this.graph.relationsOf(relations).filter((target) => target !== relation);
      if (relation.updatable) for (const target of base) this.#change(target, actions);
      this.call(this.graph.routinesOf(routines), base);
    }
  }

  #change(relation: Relation, actions: number, columns?: ReadonlySet<string>): void {
    this.write({ relation, actions, columns, cascade: false });
  }
}

/** Columns as far as the catalog knows them: one it doesn't know may be a known one under a new name. */
function knownColumns(
  relation: Relation,
  columns: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (columns === undefined || relation.columns === undefined) return columns;
  for (const column of columns) if (!relation.columns.has(column)) return undefined;
  return columns;
}

/** Whether an update of these columns may assign one of those; undefined stands for any, on both sides. */
function mayAssign(
  assigned: ReadonlySet<string> | undefined,
  columns: ReadonlySet<string> | undefined,
): boolean {
  if (columns === undefined) return true;
  if (assigned === undefined) return columns.size > 0;
  for (const column of columns) if (assigned.has(column)) return true;
  return false;
}

function fires(trigger: Trigger, { actions, columns }: ResolvedWrite): boolean {
  const matching = trigger.actions & actions;
  if (matching !== Action.update || trigger.columns === undefined) return matching !== 0;
  return mayAssign(columns, trigger.columns);
}

function mentionsAny(routine: Routine, columns: ReadonlySet<string>): boolean {
  const text = routine.definition.toLowerCase();
  return [...columns].some((column) => text.includes(column.toLowerCase()));
}
