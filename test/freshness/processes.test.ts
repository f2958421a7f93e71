import { expect } from 'chai';
import fc from 'fast-check';
import type { Proof } from '../../src/operation';
import { KINDS, Play, type Step } from './play';
import { World } from './world';

/** A token that one process gave out: what proves one of its commits. */
interface Given {
  readonly by: number;
  readonly proof: Proof;
  /** The number of the commit in the world. */
  readonly commit: number;
}

const PROCESSES = 2;

/** Several processes over one world: what one says of its commits, the others hold replicas against. */
class Company {
  readonly world = new World(2);
  readonly members: readonly Play[];
  readonly given: Given[] = [];

  constructor(visible: boolean) {
    this.members = Array.from({ length: PROCESSES }, () => new Play(visible, this.world));
  }

  step(index: number, step: Step): void {
    this.members[index]!.step(step);
    for (const other of this.members) if (other !== this.members[index]) other.feel(step);
  }

  /** A process proves one of its commits, if it can. */
  give(by: number, part: number): void {
    const { commits, progress } = this.members[by]!;
    const index = Math.min(Math.floor(part * commits.length), commits.length - 1);
    const commit = commits[index];
    const proof = commit === undefined ? undefined : progress.places.covering(index + 1);
    if (commit !== undefined && proof) this.given.push({ by, proof, commit });
  }

  check(): void {
    const { world } = this;
    for (const { by, proof, commit } of this.given) {
      // What a crash has taken back nobody can be asked for.
      if (!world.shows(world.primary, commit)) continue;
      for (const server of world.replicas) {
        if (world.shows(server, commit)) continue;
        for (const [index, { progress }] of this.members.entries()) {
          const { name } = server;
          if (progress.places.isPast(name, proof)) {
            expect.fail(
              `${index} takes ${name} to show commit ${commit} of ${by}, which it does not`,
            );
          }
          if (progress.places.hasArrived(proof) && progress.serves(name)) {
            expect.fail(`to ${index} commit ${commit} of ${by} is everywhere, and ${name} serves`);
          }
        }
      }
    }
  }
}

const steps = fc.array(
  fc.record({
    by: fc.nat(PROCESSES - 1),
    kind: fc.constantFrom(...KINDS, ...Array.from({ length: 4 }, () => 'give' as const)),
    node: fc.nat(1),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 1, maxLength: 80, size: 'max' },
);

describe('Progress, in several processes', () => {
  for (const visible of [true, false]) {
    it(`trusts no place too soon, with timelines ${visible ? 'visible' : 'hidden'}`, () => {
      fc.assert(
        fc.property(steps, (list) => {
          const company = new Company(visible);
          for (const { by, kind, node, part } of list) {
            if (kind === 'give') company.give(by, part);
            else company.step(by, { kind, node, part });
            company.check();
          }
        }),
        { numRuns: 10_000 },
      );
    });
  }

  it('finds every place reached, once replicas have caught up', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const company = new Company(true);
        for (const { by, kind, node, part } of list) {
          if (kind === 'give') company.give(by, part);
          else company.step(by, { kind, node, part });
        }
        const { world, members } = company;
        for (const member of members) member.commit();
        world.flush();
        for (const member of members) member.probe('primary', world.primary);
        for (const server of world.replicas) {
          world.follow(server);
          if (!server.standby || server.timeline !== world.primary.timeline) continue;
          world.replay(server, 1);
          for (const [by, member] of members.entries()) {
            member.probe(server.name, server);
            company.give(by, 1);
          }
          for (const { progress } of members) {
            for (const { proof } of company.given.slice(-PROCESSES)) {
              expect(progress.places.isPast(server.name, proof)).to.equal(true);
            }
          }
        }
        company.check();
      }),
      { numRuns: 2000 },
    );
  });
});
