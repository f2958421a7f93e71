import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Outcome } from '../../example-graphql/demo/play';
import { steps } from '../../example-graphql/demo/steps';
import { verdictOf } from '../../example-graphql/demo/verdict';
import { Program } from './program';

interface Row {
  readonly operation: string;
  readonly side: string;
  readonly primary: number;
  readonly replicas: number;
  readonly stale: string;
}

const line = /^ {3}(\w+) +(Sequelize alone|with fresh reads) +(\d+) +(\d+) +(\d+) +(\d+ of \d+)$/gm;

describe('the demo', () => {
  let program: Program;
  let rows: Row[];
  let temporary: string;

  before(async () => {
    temporary = mkdtempSync(path.join(tmpdir(), 'fresh-reads-demo-'));
    // The user that runs the servers has to get through.
    chmodSync(temporary, 0o711);
    program = new Program(['npm', 'run', '--silent', 'demo'], { TMPDIR: temporary });
    await program.end();
    rows = [...program.out.matchAll(line)].map(
      ([, operation = '', side = '', primary, one, two, stale = '']) => ({
        operation,
        side,
        primary: Number(primary),
        replicas: Number(one) + Number(two),
        stale,
      }),
    );
  });

  after(() => {
    program.dispose();
    rmSync(temporary, { recursive: true, force: true });
  });

  function on(side: string): Row[] {
    return rows.filter((row) => row.side === side);
  }

  it('ends with status 0, without a word on stderr and without a cluster left', async () => {
    expect(program.err).to.equal('');
    expect(await program.end()).to.equal(0);
    const left = readdirSync(temporary).filter((name) => name.startsWith('fresh-reads-'));
    expect(left).to.deep.equal([]);
  });

  it('has a line a step and side', () => {
    const names = steps.map(({ name }) => name);
    expect(on('Sequelize alone').map(({ operation }) => operation)).to.deep.equal(names);
    expect(on('with fresh reads').map(({ operation }) => operation)).to.deep.equal(names);
  });

  it('shows every answer stale that could be, without fresh reads', () => {
    for (const { operation, replicas, stale } of on('Sequelize alone')) {
      expect(stale, operation).to.equal(operation === 'posts' ? '0 of 5' : '5 of 5');
      expect(replicas, operation).to.be.greaterThan(0);
    }
  });

  it('shows none with fresh reads, which reads from replicas in every step', () => {
    for (const { operation, primary, replicas, stale } of on('with fresh reads')) {
      expect(stale, operation).to.equal('0 of 5');
      expect(replicas, operation).to.be.greaterThan(0);
      if (operation === 'posts') expect(primary).to.equal(0);
      else expect(primary, operation).to.be.greaterThan(0);
    }
  });

  it('shows a job go back to the replicas', () => {
    expect(program.out).to.match(
      /^ {3}right after the write: primary \(table-written\); once they have caught up: replica[12] \((caught-up|no-live-writes)\)$/m,
    );
  });

  it('closes with what it has shown', () => {
    expect(program.out).to.match(
      /\nStale answers: 30 of 35 on Sequelize's own replication, 0 of 35 with fresh reads, which took [4-9]\d % of its reads from the replicas\.\n$/,
    );
  });

  const outcome = (without: number, withIt: number): Outcome => ({
    results: [without, withIt].map((stale, index) => ({
      side: String(index),
      reads: new Map([
        ['primary', 1],
        ['replica1', 3],
      ]),
      answers: 5,
      stale,
      error: undefined,
    })),
  });
  const verdicts: readonly [string, Outcome[], number][] = [
    ['0 when only Sequelize alone was stale', [outcome(5, 0), outcome(0, 0)], 0],
    ['1 when fresh reads was stale once', [outcome(5, 0), outcome(5, 1)], 1],
    ['2 when nobody was: it has shown nothing', [outcome(0, 0)], 2],
  ];
  for (const [title, outcomes, status] of verdicts) {
    it(`ends with status ${title}`, () => {
      const verdict = verdictOf(outcomes);
      expect(verdict.status).to.equal(status);
      expect(verdict.line).to.include('which took 75 % of its reads from the replicas');
    });
  }
});
