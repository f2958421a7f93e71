import { expect } from 'chai';
import { chartOf } from '../../bench/policies/chart';
import type { Replayed } from '../../bench/policies/replay';
import { summarise, tableOf } from '../../bench/policies/summary';

function replayed(primary: number, replicas: number[], change: Partial<Replayed> = {}): Replayed {
  return {
    policy: 'ours',
    counted: { primary, replicas },
    reads: 100,
    stale: 0,
    overlapping: 0,
    queries: [1, 2, 3],
    mutations: [4, 5, 6],
    waits: [],
    late: [],
    processorTime: 3,
    ...change,
  };
}

describe('the summary of the policy bench', () => {
  it('gives the share of reads on the primary, over all rounds and in the middle', () => {
    const line = summarise([
      replayed(1, [50, 49]),
      replayed(3, [50, 47]),
      replayed(2, [49, 49], { stale: 4, waits: [10, 20] }),
    ]);
    expect(line.primaryShare).to.deep.equal({ middle: 2, low: 1, high: 3 });
    expect(line).to.include({ readsCounted: 100, readsOnPrimary: 2, stale: 4, meanWait: 15 });
    expect(line.query).to.deep.equal({ p50: 2, p99: 3 });
  });

  it('prints one line a policy, in columns', () => {
    const rows = tableOf([summarise([replayed(5, [50, 45])])]).split('\n');
    expect(rows).to.have.length(2);
    expect(rows[0]).to.have.length(rows[1]!.length);
    expect(rows[1]).to.match(/^ours +5\.00 +5\.00 \.\. 5\.00 +5 +0 +0 /);
  });
});

describe('the chart of the policy bench', () => {
  const lines = [
    summarise([replayed(20, [40, 40], { policy: 'pinned <all>', stale: 3 })]),
    summarise([replayed(0, [50, 50])]),
  ];
  const svg = chartOf(lines);

  it('is one SVG element with the figures as text, escaped', () => {
    expect(svg).to.match(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*>\n/);
    expect(svg.trimEnd()).to.match(/<\/svg>$/);
    for (const text of ['pinned &lt;all>', '20.0 %', '0.00 %', '>3<', '>none<']) {
      expect(svg).to.include(text);
    }
  });

  it('says nothing twice of one element, which would be no XML', () => {
    for (const [element] of svg.matchAll(/<\w[^>]*>/g)) {
      const names = [...element.matchAll(/([\w-]+)="/g)].map(([, name]) => name);
      expect(names).to.have.length(new Set(names).size);
    }
  });

  it('draws bars in proportion', () => {
    const bars = [...svg.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, w]) =>
      Number(w),
    );
    expect(bars).to.deep.equal([370, 1]);
  });
});
