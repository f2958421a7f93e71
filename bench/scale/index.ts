import { fleet } from './fleet';
import { ledger } from './ledger';
import { probeCost } from './probe-cost';
import { routing } from './routing';
import { tokens } from './tokens';

export const benches = [
  { name: 'scale/routing', run: routing },
  { name: 'scale/ledger', run: ledger },
  { name: 'scale/tokens', run: tokens },
  { name: 'scale/probes', run: probeCost },
  { name: 'scale/fleet', run: fleet },
];
