import { expect } from 'chai';
import { Command } from './command';
import { Ground } from './ground';
import { commandsOf, readmes, type Readme } from './markdown';
import { ways } from './ways';

/** Runs every command of a README, except those of a README that is read before it. */
export function runCommandsOf(readme: Readme): void {
  const earlier = new Set(readmes.slice(0, readmes.indexOf(readme)).flatMap(commandsOf));
  const commands = commandsOf(readme).filter((text) => !earlier.has(text));

  describe(`the commands of ${readme}`, function () {
    this.timeout(120_000);
    const ground = new Ground();

    after(() => ground.takeDown());

    for (const text of commands) {
      const [way, ...others] = ways.filter(({ command }) => command.test(text));
      it(`${text.slice(0, 80)}: ${way?.how ?? 'nobody knows how to run it'}`, async () => {
        if (!way) expect.fail(`"${text}" needs an entry in test/readme/ways.ts`);
        expect(others, 'more than one way').to.deep.equal([]);
        await way.run(new Command(text), ground);
      });
    }
  });
}
