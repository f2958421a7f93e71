import type { Sequelize } from 'sequelize';
import { FixedWindow, type FreshnessPolicy } from './freshness';
import { healthLog } from './health-log';
import { EVERYTHING, Ledger, logicalTime } from './operation';
import { policyFor } from './policy-for';
import type { Reporter } from './reporter';
import type { ResolvedOptions } from './resolve-options';
import {
  DatabaseName,
  Decisions,
  Knowledge,
  LiveWrites,
  Marker,
  Nodes,
  PRIMARY,
  ReplicaSet,
  Router,
  SessionReads,
  UnknownOutcomes,
  hearErrorsEarly,
  install,
  installNodePools,
  internalsOf,
  ownQuery,
  probeOpener,
  type NodePoolsInstallation,
  type SequelizeInternals,
} from './sequelize';
import { Sessions } from './sessions';

/** Without replicas nothing is held back: this is how long write records are kept to be looked at. */
const UNREPLICATED_WINDOW_MS = 1000;
const NO_FRAME = { operation: undefined, resolver: undefined, field: undefined };

/** The rooms of one handle, wired to each other and installed on its instance. */
export interface Wiring {
  readonly replicated: boolean;
  readonly ledger: Ledger;
  readonly policy: FreshnessPolicy;
  readonly knowledge: Knowledge;
  readonly nodes: Nodes;
  readonly router: Router;
  readonly writes: LiveWrites;
  readonly sessions: Sessions;
  readonly pools: NodePoolsInstallation | undefined;
  readonly replicas: ReplicaSet;
  /** Statements with no operation around them. */
  readonly outside: { readonly reads: number; readonly writes: number };
  /** Takes it all off the instance again; resolves when nothing runs in the background any more. */
  remove(): Promise<void>;
}

export interface WiringParts {
  readonly options: ResolvedOptions;
  readonly reporter: Reporter;
  readonly closed: () => boolean;
  readonly close: () => Promise<void>;
}

/** Wires the rooms for one instance. Opens no connection. */
export function wire(sequelize: Sequelize, parts: WiringParts): Wiring {
  const { options, reporter, closed } = parts;
  const instance = internalsOf(sequelize);
  const replicated = Boolean(instance.options.replication);
  const nodes = new Nodes(instance);
  hearErrorsEarly(instance);
  const warn = (message: string) => reporter.warn(message);
  const policy = replicated
    ? policyFor(options.freshness, {
        primary: PRIMARY,
        replicas: nodes.replicas,
        openProbe: probeOpener(instance, nodes),
        logicalTime,
        onWarning: warn,
        onNodeChanged: (node) => pools?.pools.renew(node),
      })
    : new FixedWindow(UNREPLICATED_WINDOW_MS);
  const ledger = new Ledger((mark) => policy.committed(mark), options.historyScope);
  const query = ownQuery(instance, () => pools !== undefined && !closed());
  const unknown = new UnknownOutcomes(query);
  const knowledge = new Knowledge(options, {
    query,
    warn,
    onForeignChange: () => ledger.open([EVERYTHING], [], NO_FRAME).commit(),
  });
  const writes = new LiveWrites(ledger, policy);
  const { monotonicReads: enabled, sessionSecret: secrets } = options;
  const sessionReads = new SessionReads({ enabled, ledger, policy, nodes });
  const sessions = new Sessions({
    secrets,
    ledger,
    policy,
    liveWrites: (operation) => writes.ofClient(operation),
    tables: () => knowledge.tables,
    fullNameOf: (table) => knowledge.fullNameOf(table),
    seen: (operation) => sessionReads.seen(operation),
    database: new DatabaseName(query, () => policy.place()?.system),
    warn: (message, once) => reporter.warn(message, once),
  });
  const router = new Router({
    ...{ options, ledger, policy, knowledge, nodes, writes },
    sessions: sessionReads,
  });
  const pools =
    replicated && options.routing === 'enforce'
      ? pooled(instance, { options, policy, nodes, router, reporter })
      : undefined;
  const replicas = new ReplicaSet({
    nodes,
    policy,
    pools,
    fixed: () => (closed() ? 'closed' : replicated ? undefined : 'no-replication'),
  });
  const outside = { reads: 0, writes: 0 };
  const observing = options.routing === 'observe';
  const installation = install(sequelize, {
    router,
    pools: pools?.pools,
    marker: new Marker(ledger, knowledge, unknown.take),
    sessions: sessionReads,
    decisions: new Decisions({ knowledge, writes, observing }),
    onOutside: (kind) => {
      outside[kind]++;
    },
    listening: () => reporter.listening,
    onDecision: (decision) => reporter.tell(decision),
    onFirstStatement: () => knowledge.catalog.start(),
    onClose: parts.close,
  });
  const remove = async () => {
    installation.remove();
    pools?.remove();
    unknown.close();
    sessions.close();
    await Promise.all([policy.close(), knowledge.catalog.close()]);
  };
  return {
    ...{ replicated, ledger, policy, knowledge, nodes, router, writes, sessions },
    ...{ pools, replicas, outside, remove },
  };
}

/** One pool a node, in the place of Sequelize's own. */
function pooled(
  instance: SequelizeInternals,
  {
    options,
    policy,
    nodes,
    router,
    reporter,
  }: Pick<Wiring, 'policy' | 'nodes' | 'router'> & Pick<WiringParts, 'options' | 'reporter'>,
): NodePoolsInstallation {
  const { maxPrimaryFallback } = options;
  const installation = installNodePools(instance, {
    nodes,
    admit: (node, connection) => policy.admit(node, connection),
    lost: (node) => policy.lost(node),
    inUse: (node) => policy.inUse(node),
    serves: (node) => policy.serves(node),
    options: {
      connectTimeoutMs: options.replicaConnectTimeoutMs,
      replicaTimeoutMs: options.replicaTimeoutMs,
      ...(maxPrimaryFallback !== undefined && { maxPrimaryFallback }),
    },
  });
  router.watch(installation.pools);
  installation.pools.onStateChange(healthLog((message) => reporter.log(message)));
  return installation;
}
