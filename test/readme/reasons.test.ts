import { expect } from 'chai';
import type { Reason } from '../../src';
import { tableUnder } from './markdown';

/** Every one, or this does not compile. */
const REASONS: Record<Reason, true> = {
  'no-live-writes': true,
  'tables-untouched': true,
  'caught-up': true,
  waited: true,
  'table-written': true,
  'tables-unknown': true,
  'not-a-read': true,
  'feeds-a-write': true,
  'locking-read': true,
  'mutation-read': true,
  'primary-only-relation': true,
  'no-replica-fit': true,
  'replica-failed': true,
  'too-far-behind': true,
  'in-transaction': true,
  'asked-primary': true,
  'asked-replica': true,
  observing: true,
};

describe('the reasons in README.md', () => {
  it('are exactly those of the code', () => {
    const cells = tableUnder('README.md', '## What goes where').map((row) => row.at(-1) ?? '');
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect([...new Set(named)].sort()).to.deep.equal(Object.keys(REASONS).sort());
  });
});
