import type { Sequelize } from 'sequelize';
import { runAsking, runFeedingWrite } from '../operation';
import { internalsOf } from './internals';

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Holder = Record<string, Method>;

/** The classes of the copy of Sequelize that an instance was made by. */
interface SequelizeClasses {
  readonly Model: Holder;
  readonly Transaction: { readonly prototype: Holder };
  readonly Association: Readonly<
    Record<'BelongsToMany' | 'HasMany' | 'HasOne', { prototype: Holder }>
  >;
}

const wrapped = new WeakSet<Method>();

/**
 * Helpers of Sequelize that read before they write, and write what they found: on an old row they
 * would insert twice, delete too little or run hooks on the past. Their reads are the primary's.
 *
 * They are wrapped on the classes, once a copy of Sequelize, and stay so: all a wrapper does is to
 * note in the current frame that such a helper is at work.
 */
export function markReadsThatFeedWrites(sequelize: Sequelize): void {
  const { Model, Association, Transaction } = sequelize.constructor as unknown as SequelizeClasses;
  for (const name of ['findOrCreate', 'findCreateFind', 'findOrBuild']) wrap(Model, name);
  // They read for individualHooks, which a hook of the application may switch on at the last moment.
  for (const name of ['update', 'destroy', 'restore']) wrap(Model, name);
  wrap(Association.BelongsToMany.prototype, 'set');
  wrap(Association.BelongsToMany.prototype, 'add');
  wrap(Association.HasMany.prototype, 'set');
  wrap(Association.HasOne.prototype, 'set');
  wrapTransactionStart(Transaction.prototype);
  // Finds the children on whose hooks a cascading delete runs.
  wrap(internalsOf(sequelize).getQueryInterface(), 'delete');
}

function wrap(holder: Holder, name: string): void {
  const original = holder[name];
  if (typeof original !== 'function' || wrapped.has(original)) return;
  const ours: Method = function (this: unknown, ...args) {
    return runFeedingWrite(() => original.apply(this, args));
  };
  wrapped.add(ours);
  holder[name] = ours;
}

/** A standby refuses SERIALIZABLE, and at acquire nothing shows the isolation level. */
function wrapTransactionStart(holder: Holder): void {
  const original = holder['prepareEnvironment'];
  if (typeof original !== 'function' || wrapped.has(original)) return;
  const ours: Method = function (this: unknown, ...args) {
    const { isolationLevel } = (this as { options: { isolationLevel?: unknown } }).options;
    const start = () => original.apply(this, args);
    return isolationLevel === 'SERIALIZABLE' ? runAsking('primary', start) : start();
  };
  wrapped.add(ours);
  holder['prepareEnvironment'] = ours;
}
