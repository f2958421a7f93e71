import { expect } from 'chai';
import { commandsOf, readmes } from './markdown';
import { runCommandsOf } from './run-commands';
import { ways } from './ways';

runCommandsOf('README.md');

describe('the ways to run the commands of the READMEs', () => {
  const commands = readmes.flatMap(commandsOf);
  for (const { command } of ways) {
    it(`${String(command)} is the way of one that is there`, () => {
      expect(commands.some((text) => command.test(text))).to.equal(true);
    });
  }
});
