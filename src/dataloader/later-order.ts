import { OptionsError } from '../errors';
import type { IncludeInternals } from '../sequelize';
import { isRecord } from '../validate';

/**
 * The order of a query without some of its includes, which must not name them.
 *
 * @throws OptionsError where it does; for an order that depends on arguments, when it is made
 */
export function orderWithout(
  label: string,
  later: readonly IncludeInternals[],
  order: unknown,
): unknown {
  if (typeof order === 'function') {
    const make = order as (args: unknown) => unknown;
    return (args: unknown) => orderWithout(label, later, make(args));
  }
  for (const entry of Array.isArray(order) ? (order as unknown[]) : [order]) {
    const by: unknown = Array.isArray(entry) ? entry[0] : entry;
    const named = later.find((include) => leadsTo(by, include));
    if (named) throw new OptionsError(refusal(label, named));
  }
  return order;
}

function refusal(label: string, { as, association }: IncludeInternals): string {
  const name = JSON.stringify(as);
  const fix =
    association.associationType === 'HasMany'
      ? `give the order in the include: { association: ${name}, separate: true, order: […] }`
      : 'sort its rows once they are loaded';
  return `${label}: can't order by the included ${name}, which is read by a statement of its own; ${fix}.`;
}

/** Whether the first part of an entry stands for the include, or for a column of it. */
function leadsTo(by: unknown, include: IncludeInternals): boolean {
  const { as, association } = include;
  if (typeof by === 'string') return by === as;
  if (typeof by === 'function') return by === association.target && !association.isAliased;
  if (!isRecord(by)) return false;
  // An association, or a model with the name of one.
  if (by['as'] !== undefined) return by['as'] === as;
  if (by['model'] !== undefined) return leadsTo(by['model'], include);
  if (typeof by['col'] === 'string') return by['col'].startsWith(`${as}.`);
  // What a function or a cast is of; texts among its arguments are values.
  return [by['val'], by['args']].flat().some((part) => isRecord(part) && leadsTo(part, include));
}
