import type { FreshReads } from '../../src';
import { builtPackage } from '../built';
import { warmUp, type Bed } from './bed';
import type { Policy, PolicyRun } from './policy';

/** This package, with `proven` freshness and session tokens. */
export function ours(catchUpWaitMs: number): Policy {
  const name = catchUpWaitMs === 0 ? 'ours' : `ours, may wait ${catchUpWaitMs} ms`;
  return {
    name,
    async start(bed: Bed): Promise<PolicyRun> {
      const models = bed.connect();
      const { freshReads } = await builtPackage();
      const reads: FreshReads = freshReads(models.sequelize, {
        freshness: { mode: 'proven', catchUpWaitMs },
      });
      await reads.ready();
      await warmUp(models);
      const waits: number[] = [];
      reads.onDecision(({ waitedMs }) => {
        if (waitedMs > 0) waits.push(waitedMs);
      });
      return {
        waits,
        async operation({ kind }, work) {
          await reads.runOperation({ kind }, () =>
            work({ read: () => ({ models }), write: models, wrote: () => undefined }),
          );
        },
        stop: () => models.sequelize.close(),
      };
    },
  };
}
