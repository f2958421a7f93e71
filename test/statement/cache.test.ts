import { expect } from 'chai';
import { createAnalyser, loadParser } from '../../src/statement';
import { RecentMap } from '../../src/statement/recent-map';

describe('statement: cache', () => {
  before(loadParser);

  it('shares one analysis among statements that differ in literals and comments only', () => {
    const analyser = createAnalyser();
    const analysis = analyser.analyse(`SELECT * FROM a WHERE x IN (1, 2, 3) AND y = 'b' LIMIT 5`);
    expect(analyser.analyse(`SELECT * FROM a WHERE x IN (4, -5) AND y = 'c''d' LIMIT 10`)).to.equal(
      analysis,
    );
    expect(
      analyser.analyse(`SELECT * FROM a WHERE x IN ($1, NULL) AND y = 'e'/* req 7 */LIMIT 10`),
    ).not.to.equal(analysis);
    expect(analyser.analyse(`SELECT * FROM A WHERE x IN (1) AND y = 'b' LIMIT 5`)).not.to.equal(
      analysis,
    );
  });

  it('keeps statements apart whose literals matter', () => {
    const analyser = createAnalyser();
    expect(analyser.analyse("SELECT set_config('a.b', 'x', true)").setsSearchPath).to.equal(false);
    expect(analyser.analyse("SELECT set_config('search_path', 'x', true)").setsSearchPath).to.equal(
      true,
    );
    expect(analyser.analyse("DO 'BEGIN DELETE FROM a; END'").writes[0]?.relation.name).to.equal(
      'a',
    );
    expect(analyser.analyse("DO 'BEGIN DELETE FROM b; END'").writes[0]?.relation.name).to.equal(
      'b',
    );
    expect(analyser.analyse(`SELECT * FROM U&"!0061" UESCAPE '!'`).reads[0]?.name).to.equal('a');
    expect(analyser.analyse(`SELECT * FROM U&"!0061" UESCAPE '?'`).reads[0]?.name).to.equal(
      '!0061',
    );
    expect(analyser.analyse("COMMIT PREPARED 'a'").transactions[0]?.id).to.equal('a');
    expect(analyser.analyse("COMMIT PREPARED 'b'").transactions[0]?.id).to.equal('b');
  });

  it('can be turned off', () => {
    const analyser = createAnalyser({ cacheSize: 0 });
    expect(analyser.analyse('SELECT 1')).not.to.equal(analyser.analyse('SELECT 1'));
  });

  it('does not keep an answer that says nothing about the text', async () => {
    const analyser = createAnalyser();
    const overflowing = `SELECT a${' + a'.repeat(20_000)}`;
    expect(analyser.analyse(overflowing).problem).to.equal('parser-failed');
    expect(analyser.analyse('SELECT * FROM once').problem).to.equal('parser-not-loaded');
    await loadParser();
    expect(analyser.analyse('SELECT * FROM once').problem).to.equal(undefined);
  });

  it('gives frozen answers', () => {
    const analysis = createAnalyser().analyse('SELECT * FROM a');
    expect(
      Object.isFrozen(analysis) &&
        Object.isFrozen(analysis.reads) &&
        Object.isFrozen(analysis.writes),
    ).to.equal(true);
  });

  it('counts the length of the template, not of the text', () => {
    const analyser = createAnalyser({ maxLength: 1000 });
    expect(analyser.analyse(`SELECT * FROM a WHERE x IN (${'1,'.repeat(2000)}1)`).kind).to.equal(
      'read',
    );
    expect(analyser.analyse(`SELECT * FROM a WHERE x IN (${'1,'.repeat(6000)}1)`).problem).to.equal(
      'too-long',
    );
    expect(analyser.analyse(`SELECT * FROM a WHERE x IN (${'a,'.repeat(600)}1)`).problem).to.equal(
      'too-long',
    );
  });

  describe('bounds', () => {
    it('holds at most so many entries and keeps those in use', () => {
      const map = new RecentMap<number>(100, 1_000_000);
      map.set('kept', 0);
      for (let index = 1; index < 1000; index += 1) {
        map.set(`key ${index}`, index);
        expect(map.get('kept')).to.equal(0);
        expect(map.size).to.be.at.most(100);
      }
      expect(map.get('key 1')).to.equal(undefined);
      expect(map.get('key 999')).to.equal(999);
    });

    it('holds at most so many characters', () => {
      const map = new RecentMap<number>(1000, 100);
      for (let index = 0; index < 100; index += 1) map.set(String(index).padStart(10, 'x'), index);
      expect(map.size).to.be.at.most(10);
      map.set('y'.repeat(51), 1);
      expect(map.get('y'.repeat(51))).to.equal(undefined);
    });

    it('takes a new value for a known key', () => {
      const map = new RecentMap<number>(10, 100);
      map.set('a', 1);
      map.set('a', 2);
      expect(map.get('a')).to.equal(2);
      expect(map.size).to.equal(1);
    });
  });
});
