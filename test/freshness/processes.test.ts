import { expect } from 'chai';
import fc from 'fast-check';
import { KINDS, PlayProcesses } from './play-processes';

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    process: fc.nat(2),
    node: fc.nat(1),
    // Not a double: most of those lie next to zero.
    part: fc.nat(1000).map((n) => n / 1000),
  }),
  { minLength: 1, maxLength: 100, size: 'max' },
);

describe('Progress of several processes', () => {
  for (const visible of [true, false]) {
    it(`claims nothing of tokens that is not so, with timelines ${visible ? 'visible' : 'hidden'}`, () => {
      fc.assert(
        fc.property(steps, (list) => {
          const play = new PlayProcesses(visible);
          for (const step of list) {
            play.step(step);
            play.check();
          }
        }),
        { numRuns: 8000 },
      );
    });
  }

  it('finds what tokens tell of everywhere, whatever happened, once replicas have caught up', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const play = new PlayProcesses();
        const { world, processes } = play;
        for (const step of list) play.step(step);
        const following = world.replicas.filter((server) => {
          world.follow(server);
          return server.standby && server.timeline === world.primary.timeline;
        });
        for (const process of processes) {
          process.reconnect();
          play.round(process);
        }
        // Of the log that is lost nothing can arrive before as much is written again.
        const told = play.told.filter(
          ({ proof }) =>
            proof.timeline === world.primary.timeline.id && proof.position <= world.primary.flushed,
        );
        for (const process of processes) {
          const { progress, replicas } = process;
          play.round(process);
          const used = replicas.filter((server) => following.includes(server));
          for (const { proof } of told) {
            for (const { name } of used) {
              expect(progress.places.isPast(name, proof), `${name} is past it`).to.be.true;
            }
            if (used.length > 0) expect(progress.places.hasArrived(proof)).to.be.true;
          }
        }
        play.check();
      }),
      { numRuns: 3000 },
    );
  });
});
