import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { recordSocial } from '../../bench/policies/social';
import { firstSeconds, format, parse } from '../../bench/policies/workload';
import { WORKLOAD_FILE, recordedWorkload } from '../../bench/policies/workload-file';

describe('the recorded workload of the policy bench', () => {
  const workload = recordedWorkload();
  const steps = workload.operations.flatMap(({ waves }) => waves.flat());

  it('is what its generator makes of its seed', () => {
    const made = format(recordSocial(workload.seed, workload.seconds));
    expect(made === readFileSync(WORKLOAD_FILE, 'utf8')).to.equal(true);
  });

  it('reads back as it was written', () => {
    expect(parse(format(workload))).to.deep.equal(workload);
  });

  it('has 15 % mutations over 30 tables, a few of which are read most of the time', () => {
    const mutations = workload.operations.filter(({ kind }) => kind === 'mutation');
    expect(mutations.length / workload.operations.length).to.be.within(0.14, 0.16);
    expect(workload.tables).to.have.length(30);
    const reads = steps.filter(({ kind }) => kind === 'row' || kind === 'list');
    const byTable = workload.tables.map(
      (_, index) => reads.filter((r) => r.table === index).length,
    );
    expect(Math.min(...byTable)).to.be.greaterThan(0);
    const [first = 0, second = 0, third = 0] = byTable.sort((a, b) => b - a);
    expect((first + second + third) / reads.length).to.be.within(0.4, 0.6);
  });

  it('sends follow-ups of the same user after mutations, and nothing before what it follows', () => {
    const follow = workload.operations.filter(({ after }) => after);
    expect(follow.length).to.be.greaterThan(workload.operations.length / 10);
    workload.operations.forEach(({ at, after, user }, index) => {
      expect(at).to.be.at.least(workload.operations[index - 1]?.at ?? 0);
      if (!after) return;
      const before = workload.operations[after.operation]!;
      expect(after.operation).to.be.below(index);
      expect(before).to.include({ kind: 'mutation', user });
    });
  });

  it('writes in mutations only, in a wave of its own', () => {
    for (const { kind, waves } of workload.operations) {
      for (const wave of waves) {
        const writes = wave.filter((step) => step.kind === 'insert' || step.kind === 'update');
        if (writes.length > 0) expect([kind, wave.length]).to.deep.equal(['mutation', 1]);
      }
    }
  });

  it('lets each replica stall for seconds, one stall after the other', () => {
    for (const replica of [0, 1]) {
      const own = workload.stalls.filter((stall) => stall.replica === replica);
      expect(own).not.to.have.length(0);
      own.forEach(({ at, ms }, index) => {
        expect(ms).to.be.within(1000, 4000);
        const before = own[index - 1];
        if (before) expect(at).to.be.greaterThan(before.at + before.ms);
      });
    }
  });

  it('can be cut short, with what follows still after what it follows', () => {
    const short = firstSeconds(workload, 10);
    expect(short.operations.length).to.be.within(
      workload.operations.length / 5,
      workload.operations.length / 2,
    );
    for (const { at, after, user } of short.operations) {
      expect(at).to.be.below(10_000);
      if (after) expect(short.operations[after.operation]).to.include({ kind: 'mutation', user });
    }
  });

  it('refuses a step that is none, and says where it is', () => {
    const broken = format({ ...workload, operations: workload.operations.slice(0, 2) });
    expect(() => parse(broken.replace(/"steps":"[^"]*/, '"steps":"x1'))).to.throw(
      'line 2 of the workload has the step "x1"',
    );
  });
});
