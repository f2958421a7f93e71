import { builtPackage } from '../built';
import { warmUp, type Bed } from './bed';
import { ClientTokens } from './client-tokens';
import type { Policy, PolicyRun } from './policy';

/** This package with `proven` freshness, and session tokens from each operation to the user's next. */
export function ours(catchUpWaitMs: number): Policy {
  return {
    name: catchUpWaitMs === 0 ? 'ours' : `ours, may wait ${catchUpWaitMs} ms`,
    async start(bed: Bed): Promise<PolicyRun> {
      const models = bed.connect();
      const { freshReads } = await builtPackage();
      const reads = freshReads(models.sequelize, {
        freshness: { mode: 'proven', catchUpWaitMs },
        sessionSecret: 'a secret of this benchmark and of nothing else',
      });
      await reads.ready();
      await warmUp(models);
      const clients = new Map<number, ClientTokens>();
      const waits: number[] = [];
      reads.onDecision(({ waitedMs }) => {
        if (waitedMs > 0) waits.push(waitedMs);
      });
      return {
        waits,
        async operation({ user, kind }, work) {
          let client = clients.get(user);
          if (!client) clients.set(user, (client = new ClientTokens()));
          await client.exchange((token) =>
            reads.runOperation({ kind, token }, async () => {
              await work({ read: () => ({ models }), write: models, wrote: () => undefined });
              return reads.token();
            }),
          );
        },
        stop: () => models.sequelize.close(),
      };
    },
  };
}
