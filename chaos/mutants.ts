/** One change of the source text. `find` must be in the file exactly once. */
export interface Patch {
  /** Below `src`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** The router without one of its rules. */
export interface Mutant {
  readonly name: string;
  /** What is wrong with it. */
  readonly without: string;
  readonly patches: readonly Patch[];
}

/**
 * Every rule here is one that promises hang on, so a run without it has to find a broken promise.
 * Rules that another rule stands in for are taken away together with it.
 */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'mark-at-statement-time',
    without: 'a write counts from its statement, not from its commit',
    patches: [
      {
        file: 'sequelize/open-writes.ts',
        find: "if (this.#status === 'T' || this.#status === 'E') tracked.write.hold();\n    else ",
        replace: '',
      },
    ],
  },
  {
    name: 'ignore-cascades',
    without: 'foreign keys are not followed',
    patches: [
      {
        file: 'catalog/closure-write.ts',
        find: 'this.#followForeignKeys(write);',
        replace: '',
      },
    ],
  },
  {
    name: 'ignore-triggers',
    without: 'triggers are not followed',
    patches: [
      {
        file: 'catalog/closure-write.ts',
        find: 'if (!fires(trigger, write)) continue;',
        replace: 'continue;',
      },
    ],
  },
  {
    name: 'ignore-partitions',
    without: 'a table is read without its partitions',
    patches: [
      {
        file: 'catalog/reach.ts',
        find: 'walk.add(this.relationsOf(relation.children), []);',
        replace: '',
      },
    ],
  },
  {
    name: 'ignore-views',
    without: 'a view is a table of its own',
    patches: [
      {
        file: 'catalog/reach.ts',
        find: "if (relation.kind === 'view') this.#addReferences(relation.definition, walk);",
        replace: '',
      },
    ],
  },
  {
    name: 'ignore-functions',
    without: 'what functions read is not asked',
    patches: [
      {
        file: 'catalog/reach.ts',
        find: 'walk.add(effect.reads, this.routinesOf(effect.calls));',
        replace: 'walk.add([], this.routinesOf(effect.calls));',
      },
    ],
  },
  {
    name: 'unstick-on-first-replica',
    without: 'a write expires as soon as one replica shows it',
    patches: [
      {
        file: 'freshness/progress.ts',
        find: 'seq = Math.min(seq ?? shown, shown);',
        replace: 'seq = Math.max(seq ?? shown, shown);',
      },
      {
        file: 'freshness/floor.ts',
        find: 'return this.#position === undefined || (position !== undefined && position >= this.#position);',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'one-replica-speaks-for-all',
    without: 'what one replica shows counts for every replica',
    patches: [
      {
        file: 'sequelize/live-writes.ts',
        find: 'this.#policy.shows(node, newest)',
        replace: "this.#policy.shows('replica1', newest)",
      },
    ],
  },
  {
    name: 'skip-in-flight-batches',
    without: 'a batch sent before a commit answers loads after it',
    patches: [
      {
        file: 'operation/ledger.ts',
        find: 'a loader may have read the row inside the transaction.\n    this.#touch();',
        replace: '',
      },
    ],
  },
  {
    name: 'prime-the-past',
    without: 'loaders take values from before a write',
    patches: [
      {
        file: 'dataloader/lane.ts',
        find: 'if (asOf !== undefined && this.#touchedSince(asOf)) return;',
        replace: '',
      },
    ],
  },
  {
    name: 'trust-the-host-name',
    without: 'connections are taken for the node that they were meant for',
    patches: [
      {
        file: 'freshness/proven.ts',
        find: "if (this.#state === 'closed') return true;\n    this.start();\n    const ticket",
        replace: 'return true;\n    const ticket',
      },
    ],
  },
  {
    name: 'trust-promoted-replicas',
    without: 'a node that is no standby is taken for the primary',
    patches: [
      {
        file: 'freshness/progress.ts',
        find: 'if (this.#primary.is(reading)) return true;',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'forget-the-floor',
    without: 'a replica may show less than what was let expire',
    patches: [
      {
        file: 'freshness/floor.ts',
        find: 'return this.#position === undefined || (position !== undefined && position >= this.#position);',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'believe-a-crashed-replica',
    without: 'what a replica showed before a crash counts after it',
    patches: [
      {
        file: 'freshness/progress.ts',
        find: 'this.#replicas.get(node)?.void();',
        replace: '',
      },
      {
        file: 'freshness/progress.ts',
        find: 'if (wentBack) replica.void();',
        replace: '',
      },
    ],
  },
  {
    name: 'sample-the-flushed-position',
    without: 'the flushed position stands for the written one',
    patches: [
      {
        file: 'freshness/positions.ts',
        find: 'pg_current_wal_insert_lsn()::text END AS written',
        replace: 'pg_current_wal_flush_lsn()::text END AS written',
      },
    ],
  },
  {
    name: 'count-commits-after-the-sample',
    without: 'a sample proves commits that were acknowledged after it was sent',
    patches: [
      {
        file: 'freshness/primary-probe.ts',
        find: 'ticket, { seq, sentAt })',
        replace: 'ticket, { seq: this.#environment.logicalTime(), sentAt })',
      },
    ],
  },
  {
    name: 'guess-a-window',
    without: 'every replica is trusted to be at most 100 ms behind',
    patches: [
      {
        file: 'fresh-reads.ts',
        find: '? policyFor(options.freshness, this.#environment(instance))',
        replace: '? new FixedWindow(100)',
      },
    ],
  },
  {
    name: 'unknown-is-committed',
    without: 'a write whose connection is lost counts as committed at that moment',
    patches: [
      {
        file: 'sequelize/unknown-outcomes.ts',
        find: 'if (!this.#closed) this.#look(write, pending, FIRST_LOOK_MS);',
        replace: 'write.commit();',
      },
    ],
  },
  {
    name: 'mark-inserts-only',
    without: 'only the INSERTs that Sequelize builds are marked',
    patches: [
      {
        file: 'sequelize/knowledge.ts',
        find: 'if (analysis.setsSearchPath) this.#anySchema = true;',
        replace: 'if (!statement.builtInsert) return undefined;',
      },
    ],
  },
  {
    name: 'helpers-read-anywhere',
    without: 'association helpers read from replicas what they then write',
    patches: [
      {
        file: 'sequelize/feeds-writes.ts',
        find: "wrap(Association.BelongsToMany.prototype, 'set');",
        replace: '',
      },
    ],
  },
  {
    name: 'forget-writes-without-operation',
    without: 'writes that lost their context are of no operation',
    patches: [
      {
        file: 'operation/ledger.ts',
        find: 'yield this.orphans;',
        replace: '',
      },
    ],
  },
  {
    name: 'forget-the-process-history',
    without: 'reads outside operations miss what the process wrote',
    patches: [
      {
        file: 'operation/ledger.ts',
        find: 'yield this.process;',
        replace: '',
      },
    ],
  },
  {
    name: 'operations-do-not-nest',
    without: 'an operation inside another one is one of its own',
    patches: [
      {
        file: 'fresh-reads.ts',
        find: 'const around = currentOperation();',
        replace: 'const around = undefined as Operation | undefined;',
      },
    ],
  },
  {
    name: 'read-only-transactions-anywhere',
    without: 'read-only transactions start on any replica',
    patches: [
      {
        file: 'sequelize/router.ts',
        find: "(tables) => tables.map(() => 'unknown')",
        replace: "(tables) => tables.map(() => 'no')",
      },
    ],
  },
  {
    name: 'definitions-unnoticed',
    without: 'the catalog stays as it was when definitions change',
    patches: [
      {
        file: 'sequelize/marker.ts',
        find: "if (definition === 'certain') {",
        replace: "if (String(definition) === '') {",
      },
    ],
  },
  {
    name: 'no-second-try',
    without: 'a read that a replica fails on is not tried elsewhere',
    patches: [
      {
        file: 'sequelize/retry-elsewhere.ts',
        find: 'if (!isRetryableElsewhere(error)) throw error;',
        replace: 'throw error;',
      },
    ],
  },
  {
    name: 'ignore-tokens',
    without: 'the tokens that sessions bring are not looked at',
    patches: [
      {
        file: 'fresh-reads.ts',
        find: 'if (token !== undefined) this.#sessions.accept(token, operation);',
        replace: '',
      },
    ],
  },
  {
    name: 'trust-replicas-with-tokens',
    without: 'any replica is trusted to have what a token tells of',
    patches: [
      {
        file: 'freshness/progress.ts',
        find: 'replica.position >= proof.position &&',
        replace: '',
      },
    ],
  },
  {
    name: 'forget-what-was-seen',
    without: 'sessions may go back behind what they have read',
    patches: [
      {
        file: 'sequelize/router.ts',
        find: 'return seen.isLast(this.#sessions.runOf(node)) || this.#policy.shows(node, mark);',
        replace: 'return true;',
      },
    ],
  },
];
