import { expect } from 'chai';
import fc from 'fast-check';
import { KINDS, Play } from './play';

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    node: fc.nat(1),
    // Not a double: most of those lie next to zero.
    part: fc.nat(1000).map((n) => n / 1000),
  }),
  { minLength: 1, maxLength: 80, size: 'max' },
);

describe('Progress', () => {
  for (const visible of [true, false]) {
    it(`claims nothing that is not so, with timelines ${visible ? 'visible' : 'hidden'}`, () => {
      fc.assert(
        fc.property(steps, (list) => {
          const play = new Play(visible);
          for (const step of list) {
            play.step(step);
            play.check();
          }
        }),
        { numRuns: 20_000 },
      );
    });
  }

  it('comes back to full use, whatever happened, once replicas have caught up', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const play = new Play();
        const { world, progress } = play;
        for (const step of list) play.step(step);
        world.write(true);
        world.flush();
        play.probe('primary', world.primary);
        const following = world.replicas.filter((server) => {
          world.follow(server);
          return server.standby && server.timeline === world.primary.timeline;
        });
        for (const server of following) {
          world.replay(server, 1);
          play.probe(server.name, server);
          expect(progress.serves(server.name), `${server.name} serves`).to.be.true;
          expect(progress.shows(server.name, world.time), `${server.name} shows all`).to.be.true;
        }
        play.check();
        // Those on a dead branch, and the primary itself under its old name.
        const others = world.replicas.filter((server) => !following.includes(server));
        for (const server of others) play.probe(server.name, server);
        if (following.length > 0) expect(progress.expired(world.time)).to.be.true;
      }),
      { numRuns: 5000 },
    );
  });
});
