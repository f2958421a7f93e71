import { decide, type DecideInput, type Verdict } from './decide';

/** Every member, or this does not compile. */
const MEMBERS: Record<keyof DecideInput, true> = {
  statement: true,
  wishes: true,
  primaryBeforeWrite: true,
  primaryOutside: true,
  maxLagMs: true,
  waited: true,
  failed: true,
  writes: true,
  nodes: true,
  seenBy: true,
};
const NAMES = Object.keys(MEMBERS) as (keyof DecideInput)[];

/**
 * {@link decide}, with its last answer at hand: most reads in a row differ in nothing that it looks at.
 * Since it is pure, the same members (the very same objects, which nobody may change any more) have
 * the same verdict.
 */
export function rememberingDecide(): typeof decide {
  let last: DecideInput | undefined;
  let verdict: Verdict | undefined;
  return (input) => {
    if (!last || !verdict || !haveSameMembers(last, input)) {
      verdict = decide(input);
      last = input;
    }
    return verdict;
  };
}

function haveSameMembers(a: DecideInput, b: DecideInput): boolean {
  for (const name of NAMES) if (a[name] !== b[name]) return false;
  return true;
}
