import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, type Workload } from './workload';

/** The recorded workload: every policy is given the same one. */
export const WORKLOAD_FILE = join(__dirname, 'workload.jsonl');

export function recordedWorkload(): Workload {
  return parse(readFileSync(WORKLOAD_FILE, 'utf8'));
}
