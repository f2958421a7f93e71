import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';

/** One thing to compare: runs `count` times what is measured. */
export interface Variant {
  readonly name: string;
  readonly run: (count: number) => Promise<void>;
}

export interface Figure {
  readonly name: string;
  /** Of one call. */
  readonly median: number;
  /** Half of all runs lie between these. */
  readonly low: number;
  readonly high: number;
  /** Median of the differences to the first variant, each within one round. */
  readonly more: number;
  /** Median of the ratios to the first variant, each within one round. */
  readonly ratio: number;
}

interface Plan {
  readonly rounds: number;
  /** Calls of one variant in a round. */
  readonly count: number;
  /** Before each run; not measured. */
  readonly before?: () => Promise<unknown>;
}

/**
 * Microseconds a call. The variants take turns within each round, in another order each time, so that
 * what slows the machine down for a while slows down all of them.
 */
export function timed(variants: readonly Variant[], plan: Plan): Promise<Figure[]> {
  return compare(variants, plan, async (variant) => {
    const began = process.hrtime.bigint();
    await variant.run(plan.count);
    return Number(process.hrtime.bigint() - began) / 1000;
  });
}

/** Microseconds of processor time a call, in this process: other processes don't count. */
export function computed(variants: readonly Variant[], plan: Plan): Promise<Figure[]> {
  return compare(variants, plan, async (variant) => {
    const began = process.cpuUsage();
    await variant.run(plan.count);
    const { user, system } = process.cpuUsage(began);
    return user + system;
  });
}

/** Bytes allocated a call: runs are short, so that hardly any has a collection within. */
export function allocated(variants: readonly Variant[], plan: Plan): Promise<Figure[]> {
  const collect = garbageCollector();
  return compare(variants, plan, async (variant) => {
    collect();
    const before = process.memoryUsage().heapUsed;
    await variant.run(plan.count);
    return process.memoryUsage().heapUsed - before;
  });
}

/** Collects all garbage at once, whatever the process was started with. */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** What `measure` says of one run of a variant, for each call in it, taking turns as above. */
export async function compare(
  variants: readonly Variant[],
  { rounds, count, before }: Plan,
  measure: (variant: Variant) => Promise<number>,
): Promise<Figure[]> {
  for (const variant of variants) await variant.run(count);
  const samples = variants.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const index = (round + turn) % variants.length;
      const variant = variants[index];
      await before?.();
      if (variant) samples[index]?.push((await measure(variant)) / count);
    }
  }
  const first = samples[0] ?? [];
  return variants.map(({ name }, index) => {
    const own = samples[index] ?? [];
    const pairs = own.map((value, round) => [value, first[round] ?? value] as const);
    return {
      name,
      median: quantile(own, 0.5),
      low: quantile(own, 0.25),
      high: quantile(own, 0.75),
      more: quantile(
        pairs.map(([value, base]) => value - base),
        0.5,
      ),
      ratio: quantile(
        pairs.map(([value, base]) => value / base),
        0.5,
      ),
    };
  });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
