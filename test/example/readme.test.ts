import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readmeBlocks, startCommands } from './readme';

const root = path.join(__dirname, '../..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
};

/** Programs that the commands may start beside npm's own. */
const OTHERS = ['curl', 'docker', 'export', 'scripts/docker-engine.sh'];

/** `FOO=bar npm run x # why && npm test` in parts: what is started, without settings and comments. */
function startsOf(block: string): string[][] {
  return block
    .split(/\n|&&/)
    .map((part) => part.replace(/\s#.*$/, '').trim())
    .filter((part) => part !== '' && !part.startsWith('#'))
    .map((part) => part.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word)));
}

for (const file of ['README.md', 'example-graphql/README.md']) {
  describe(`the commands of ${file}`, () => {
    for (const [program = '', ...args] of readmeBlocks('sh', file).flatMap(startsOf)) {
      it(`${program} ${args.join(' ')}`.slice(0, 80), () => {
        if (program === 'npm') {
          const script = args[0] === 'run' ? args[1] : args[0];
          if (script !== 'ci' && script !== 'install')
            expect(manifest.scripts).to.have.property(script!);
        } else if (program === 'npx') {
          expect(manifest.bin).to.have.property(args[0]!);
        } else {
          expect(OTHERS).to.include(program);
        }
      });
    }
  });
}

describe("the commands of the example's README that start it", () => {
  it('are those that the tests of its process run', () => {
    expect(startCommands().map((settings) => Object.keys(settings))).to.deep.equal([
      [],
      ['FRESH_READS'],
      ['REPLICAS', 'REPLICA_LAG_MS', 'PORT'],
      ['DATABASE_URL', 'REPLICA_URLS'],
    ]);
  });
});
