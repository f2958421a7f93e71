import { expect } from 'chai';
import { createAnalyser, loadParser } from '../../src/statement';

/** Overflows the stack inside the parser: a chain of operators is nested as deep as it is long. */
const OVERFLOWING = `SELECT a${' + a'.repeat(20_000)}`;

describe('statement: parser', () => {
  beforeEach(loadParser);
  after(loadParser);

  it('loads once, whoever asks', async () => {
    expect(loadParser()).to.equal(loadParser());
    await loadParser();
  });

  it('is replaced after it overflowed, and says so until then', async () => {
    const analyser = createAnalyser();
    expect(analyser.analyse(OVERFLOWING)).to.include({ kind: 'unknown', problem: 'parser-failed' });
    expect(analyser.analyse('SELECT * FROM a')).to.include({ problem: 'parser-not-loaded' });
    await loadParser();
    expect(analyser.analyse('SELECT * FROM a')).to.include({ kind: 'read', problem: undefined });
  });

  it('stays sound however often it overflows', async () => {
    const analyser = createAnalyser({ cacheSize: 0 });
    for (let round = 0; round < 5; round += 1) {
      expect(analyser.analyse(OVERFLOWING).problem).to.equal('parser-failed');
      await loadParser();
    }
    expect(analyser.analyse('DELETE FROM a USING b').reads).to.deep.equal([
      { schema: undefined, name: 'b' },
    ]);
  });
});
