/** Writes workload.jsonl anew: `tsx bench/policies/generate.ts`. */
import { writeFileSync } from 'node:fs';
import { recordSocial } from './social';
import { WORKLOAD_FILE } from './workload-file';
import { format } from './workload';

const SEED = 1;
const SECONDS = 30;

const workload = recordSocial(SEED, SECONDS);
writeFileSync(WORKLOAD_FILE, format(workload));

const { operations, stalls } = workload;
const mutations = operations.filter(({ kind }) => kind === 'mutation').length;
const steps = operations.flatMap(({ waves }) => waves.flat());
const reads = steps.filter(({ kind }) => kind === 'row' || kind === 'list').length;
console.log(
  `${operations.length} operations, ${((100 * mutations) / operations.length).toFixed(1)} % mutations, ` +
    `${reads} reads, ${steps.length - reads} writes, ${stalls.length} stalls -> ${WORKLOAD_FILE}`,
);
