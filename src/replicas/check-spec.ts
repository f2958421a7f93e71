import { OptionsError, echo } from '../errors';

/** @throws OptionsError when the name is taken or the weight not above zero */
export function checkSpec(
  { name, weight = 1 }: { readonly name: string; readonly weight?: number },
  isTaken: (name: string) => boolean,
): void {
  if (isTaken(name)) {
    throw new OptionsError(
      `two nodes have the name ${echo(name)}: give each entry of replication.read a name of its own.`,
    );
  }
  if (!(weight > 0 && weight < Infinity)) {
    throw new OptionsError(
      `the weight of node ${echo(name)} must be a number above zero, got ${echo(weight)}.`,
    );
  }
}
