import { warmUp, type Bed } from './bed';
import type { Caller, Policy, PolicyRun } from './policy';

/** What is usually written by hand around Sequelize's `useMaster`, for one operation. */
interface Rule {
  toPrimary(table: number): boolean;
  wrote(table: number): void;
}

const noted = () => undefined;

/** Sequelize's replication as it is. */
export const alwaysReplica = classic('always replica', () => () => ({
  toPrimary: () => false,
  wrote: noted,
}));

/** A mutation reads from the primary from its first statement to its last. */
export const primaryForMutations = classic('primary for mutations', () => ({ kind }) => ({
  toPrimary: () => kind === 'mutation',
  wrote: noted,
}));

/** After its first write the rest of an operation reads from the primary. */
export const requestSticky = classic('request sticky', () => () => {
  let written = false;
  return { toPrimary: () => written, wrote: () => void (written = true) };
});

/** After a write everything its user reads comes from the primary for a while. */
export function userPinned(ms: number): Policy {
  return classic(`user pinned, ${ms / 1000} s`, () => {
    const until = new Map<number, number>();
    return ({ user }) => ({
      toPrimary: () => performance.now() < (until.get(user) ?? 0),
      wrote: () => void until.set(user, performance.now() + ms),
    });
  });
}

/** After a write of a table its operation reads that table from the primary for a while. */
export function tableWindow(ms: number): Policy {
  return classic('table, fixed window, per operation', () => () => windowed(new Map(), ms));
}

/** The same with a history that goes with the user from one operation to the next. */
export function tableWindowOfUser(ms: number): Policy {
  return classic('table, fixed window, per user', () => {
    const users = new Map<number, Map<number, number>>();
    return ({ user }) => {
      const history = users.get(user) ?? new Map<number, number>();
      users.set(user, history);
      return windowed(history, ms);
    };
  });
}

function windowed(until: Map<number, number>, ms: number): Rule {
  return {
    toPrimary: (table) => performance.now() < (until.get(table) ?? 0),
    wrote: (table) => void until.set(table, performance.now() + ms),
  };
}

function classic(name: string, rules: () => (caller: Caller) => Rule): Policy {
  return {
    name,
    async start(bed: Bed): Promise<PolicyRun> {
      const models = bed.connect();
      await warmUp(models);
      const ruleOf = rules();
      return {
        waits: [],
        async operation(caller, work) {
          const rule = ruleOf(caller);
          await work({
            read: (table) => ({ models, useMaster: rule.toPrimary(table) }),
            write: models,
            wrote: (table) => rule.wrote(table),
          });
        },
        stop: () => models.sequelize.close(),
      };
    },
  };
}
