import path from 'node:path';
import { expect } from 'chai';
import { Script } from '../testing/support';

const main = path.join(__dirname, '../../chaos/main.ts');

describe('npm run chaos', () => {
  /** Runs it to its end, or to the first violation. */
  async function run(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
    const script = new Script(main, ...args);
    const code = await script.end();
    return { code, out: script.out, err: script.err };
  }

  it('finds that triggers are ignored, tells how, and ends with status 1', async function () {
    this.timeout(150_000);
    const { code, out, err } = await run(
      ...['--break', 'ignore-triggers', '--first', '--minutes', '2', '--seed', '3'],
    );
    expect(code, err).to.equal(1);
    expect(out).to.match(/^stale: .* of \w+\/\d+ from .*; version \d+ was acknowledged/m);
    expect(out).to.match(/writes version \d+ of \w+\/\d+: /);
    expect(out).to.include('--seed 3 --minutes 2 --replicas 3 --break ignore-triggers');
    expect(out).to.match(
      /\nchecked \d+ reads, [1-9]\d* stale, \d+ errors, \d+% of reads on replicas\n$/,
    );
  });

  it('ends with status 2 where it can not be made', async () => {
    const unknown = await run('--break', 'gravity');
    expect(unknown.code).to.equal(2);
    expect(unknown.err).to.match(/^there is no rule "gravity" to break; there are: mark-at/);
    const bad = await run('--minutes', 'ten');
    expect(bad.code).to.equal(2);
    expect(bad.err).to.match(
      /^--minutes must be a number from 0.1 to 600, got "ten"\n\nnpm run chaos/,
    );
  });
});
