import { expect } from 'chai';
import { Reporter } from '../src/reporter';

describe('warnings', () => {
  it('are kept and logged once each', () => {
    const logged: string[] = [];
    const reporter = new Reporter({ warn: (message) => void logged.push(message) });
    for (const message of ['a', 'b', 'a']) reporter.warn(message);
    expect(reporter.warnings).to.deep.equal(['a', 'b']);
    expect(logged).to.deep.equal(['sequelize-fresh-reads: a', 'sequelize-fresh-reads: b']);
  });

  it('of ever other texts do not pile up: the oldest are let go', () => {
    const reporter = new Reporter(undefined);
    for (let index = 0; index < 1500; index++) reporter.warn(`no table t${index}`);
    expect(reporter.warnings).to.have.length(1000);
    expect(reporter.warnings[0]).to.equal('no table t500');
    expect(reporter.warnings.at(-1)).to.equal('no table t1499');
    reporter.warn('no table t1499');
    expect(reporter.warnings).to.have.length(1000);
  });
});
