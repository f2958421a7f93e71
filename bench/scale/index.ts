import { probes } from './fleet';
import { ledger } from './ledger';
import { routing } from './routing';
import { tokens } from './tokens';

export const benches = [
  { name: 'scale/routing', run: routing },
  { name: 'scale/ledger', run: ledger },
  { name: 'scale/tokens', run: tokens },
  { name: 'scale/probes', run: probes },
];
