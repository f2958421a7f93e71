// When the rows that loaders gave were read: `prime` must not bring back what a write has overtaken.
// Instances carry it themselves: thousands of them as keys of a weak map are a load on every
// garbage collection. Frozen ones can't.
const READ_AT = Symbol('sequelize-fresh-reads.readAt');

const times = new WeakMap<object, number>();

/** Such rows may come from a write that is never committed: they prime nothing. */
export const READ_INSIDE_A_TRANSACTION = -1;

interface Instance {
  readonly dataValues: unknown;
  [READ_AT]?: number;
}

/** Notes when a batch read its values, and the rows in them. */
export function noteRead(values: readonly unknown[], asOf: number): void {
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    if (isInstance(value) && Object.isExtensible(value)) value[READ_AT] = asOf;
    else {
      times.set(value, asOf);
      if (Array.isArray(value)) noteRead(value, asOf);
    }
  }
}

/** When `value` (of a list: the oldest in it) was read by a loader; `undefined` if by none. */
export function readTimeOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // One that was frozen since carries it, one that came frozen doesn't.
  const own = (isInstance(value) ? value[READ_AT] : undefined) ?? times.get(value);
  if (own !== undefined || !Array.isArray(value)) return own;
  const inside = value.map(readTimeOf).filter((time) => time !== undefined);
  return inside.length === 0 ? undefined : Math.min(...inside);
}

function isInstance(value: object): value is Instance {
  return 'dataValues' in value;
}
