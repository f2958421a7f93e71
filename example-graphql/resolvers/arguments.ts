import { badInput } from '../errors';
import type { First } from '../loaders';

const LARGEST_ID = 2 ** 31 - 1;

/** An ID argument as the number that the tables have. */
export function toId(id: string): number {
  const number = Number(id);
  if (/^\d+$/.test(id) && number >= 1 && number <= LARGEST_ID) return number;
  throw badInput(`an id is a whole number from 1, got ${JSON.stringify(id)}`);
}

export interface PageArguments {
  readonly limit: number;
  readonly offset: number;
}

/** Paging arguments within bounds. */
export function toPage({ limit, offset }: PageArguments): PageArguments {
  if (limit < 1 || limit > 100) throw badInput(`limit must be from 1 to 100, got ${limit}`);
  if (offset < 0) throw badInput(`offset must be 0 or more, got ${offset}`);
  return { limit, offset };
}

/** How many rows of each parent, within bounds; left out: all of them. */
export function toFirst({ first }: { readonly first?: number | null }): First {
  if (first === null || first === undefined) return { first: undefined };
  if (first < 1 || first > 100) throw badInput(`first must be from 1 to 100, got ${first}`);
  return { first };
}

/** The fields of an input that were given: `null` and "left out" both leave a column alone. */
export function given<Input extends object>(
  input: Input,
): { [Key in keyof Input]?: NonNullable<Input[Key]> } {
  const entries = Object.entries(input).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(entries) as { [Key in keyof Input]?: NonNullable<Input[Key]> };
}
