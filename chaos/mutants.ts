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

const patch = (file: string, find: string, replace: string): Patch => ({ file, find, replace });

/**
 * Every rule here is one that promises hang on, so a run without it has to find a broken promise.
 * Rules that another rule stands in for are taken away together with it.
 */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'mark-at-statement-time',
    without: 'a write counts from its statement, not from its commit',
    patches: [
      patch(
        'sequelize/open-writes.ts',
        "if (this.#status === 'T' || this.#status === 'E') tracked.write.hold();\n    else ",
        '',
      ),
    ],
  },
  {
    name: 'ignore-cascades',
    without: 'foreign keys are not followed',
    patches: [patch('catalog/closure-write.ts', 'this.#followForeignKeys(write);', '')],
  },
  {
    name: 'ignore-triggers',
    without: 'triggers are not followed',
    patches: [
      patch('catalog/closure-write.ts', 'if (!fires(trigger, write)) continue;', 'continue;'),
    ],
  },
  {
    name: 'ignore-partitions',
    without: 'a table is read without its partitions',
    patches: [patch('catalog/reach.ts', 'walk.add(this.relationsOf(relation.children), []);', '')],
  },
  {
    name: 'ignore-views',
    without: 'a view is a table of its own',
    patches: [
      patch(
        'catalog/reach.ts',
        "if (relation.kind === 'view') this.#addReferences(relation.definition, walk);",
        '',
      ),
    ],
  },
  {
    name: 'ignore-functions',
    without: 'what functions read is not asked',
    patches: [
      patch(
        'catalog/reach.ts',
        'walk.add(effect.reads, this.routinesOf(effect.calls));',
        'walk.add([], this.routinesOf(effect.calls));',
      ),
    ],
  },
  {
    name: 'unstick-on-first-replica',
    without: 'a write expires as soon as one replica shows it',
    patches: [
      patch(
        'freshness/expiry.ts',
        '(least, next) => Math.min(least, next.passed), newest ?? 0',
        '(most, next) => Math.max(most, next.passed), 0',
      ),
      patch(
        'freshness/floor.ts',
        'return this.#position === undefined || (position !== undefined && position >= this.#position);',
        'return true;',
      ),
    ],
  },
  {
    name: 'one-replica-speaks-for-all',
    without: 'what one replica shows counts for every replica',
    patches: [
      patch(
        'sequelize/live-writes.ts',
        'this.#policy.shows(node, newest)',
        "this.#policy.shows('replica1', newest)",
      ),
    ],
  },
  {
    name: 'skip-in-flight-batches',
    without: 'a batch sent before a commit answers loads after it',
    patches: [
      patch(
        'operation/open-write.ts',
        'a loader may have read the row inside the transaction.\n    this.#touch();',
        '',
      ),
    ],
  },
  {
    name: 'prime-the-past',
    without: 'loaders take values from before a write',
    patches: [
      patch(
        'dataloader/lane.ts',
        'if (asOf !== undefined && this.#touchedSince(asOf)) return;',
        '',
      ),
    ],
  },
  {
    name: 'trust-the-host-name',
    without: 'connections are taken for the node that they were meant for',
    patches: [
      patch(
        'freshness/proven.ts',
        "if (this.#state === 'closed') return true;\n    this.start();\n    const ticket",
        'return true;\n    const ticket',
      ),
    ],
  },
  {
    name: 'trust-promoted-replicas',
    without: 'a node that is no standby is taken for the primary',
    patches: [
      patch(
        'freshness/belonging.ts',
        'if (this.#primary.is(reading)) return true;',
        'return true;',
      ),
    ],
  },
  {
    name: 'forget-the-floor',
    without: 'a replica may show less than what was let expire',
    patches: [
      patch(
        'freshness/floor.ts',
        'return this.#position === undefined || (position !== undefined && position >= this.#position);',
        'return true;',
      ),
    ],
  },
  {
    name: 'believe-a-crashed-replica',
    without: 'what a replica showed before a crash counts after it',
    patches: [
      patch('freshness/progress.ts', 'this.#replicas.get(node)?.void();', ''),
      patch('freshness/progress.ts', 'if (wentBack) replica.void();', ''),
    ],
  },
  {
    name: 'guess-a-window',
    without: 'every replica is trusted to be at most 100 ms behind',
    patches: [
      patch(
        'wiring.ts',
        'const policy = replicated',
        'const policy = replicated ? new FixedWindow(100) : replicated',
      ),
    ],
  },
  {
    name: 'unknown-is-committed',
    without: 'a write whose connection is lost counts as committed at that moment',
    patches: [
      patch(
        'sequelize/unknown-outcomes.ts',
        'if (!this.#closed) this.#look(write, pending, FIRST_LOOK_MS);',
        'write.commit();',
      ),
    ],
  },
  {
    name: 'mark-inserts-only',
    without: 'only the INSERTs that Sequelize builds are marked',
    patches: [
      patch(
        'sequelize/knowledge.ts',
        'if (analysis.setsSearchPath) this.#anySchema = true;',
        'if (!statement.builtInsert) return undefined;',
      ),
    ],
  },
  {
    name: 'helpers-read-anywhere',
    without: 'association helpers read from replicas what they then write',
    patches: [
      patch('sequelize/feeds-writes.ts', "wrap(Association.BelongsToMany.prototype, 'set');", ''),
    ],
  },
  {
    name: 'forget-writes-without-operation',
    without: 'writes that lost their context are of no operation',
    patches: [patch('operation/ledger.ts', 'yield this.orphans;', '')],
  },
  {
    name: 'forget-the-process-history',
    without: 'reads outside operations miss what the process wrote',
    patches: [patch('operation/ledger.ts', 'yield this.process;', '')],
  },
  {
    name: 'operations-do-not-nest',
    without: 'an operation inside another one is one of its own',
    patches: [
      patch(
        'fresh-reads.ts',
        'const around = currentOperation();',
        'const around = undefined as Operation | undefined;',
      ),
    ],
  },
  {
    name: 'read-only-transactions-anywhere',
    without: 'read-only transactions start on any replica',
    patches: [
      patch(
        'sequelize/router.ts',
        "touched: answers?.[index] ?? 'unknown',",
        "touched: answers?.[index] ?? 'no',",
      ),
    ],
  },
  {
    name: 'definitions-unnoticed',
    without: 'the catalog stays as it was when definitions change',
    patches: [
      patch(
        'sequelize/marker.ts',
        "if (definition === 'certain') {",
        "if (String(definition) === '') {",
      ),
    ],
  },
  {
    name: 'no-second-try',
    without: 'a read that a replica fails on is not tried elsewhere',
    patches: [
      patch(
        'sequelize/attempts.ts',
        'if (!isRetryableElsewhere(error)) throw error;',
        'throw error;',
      ),
    ],
  },
  {
    name: 'ignore-tokens',
    without: 'the tokens that sessions bring are not looked at',
    patches: [
      patch(
        'fresh-reads.ts',
        'if (token !== undefined) this.#wiring.sessions.accept(token, operation);',
        '',
      ),
    ],
  },
  {
    name: 'trust-replicas-with-tokens',
    without: 'any replica is trusted to have what a token tells of',
    patches: [patch('freshness/places.ts', 'replica.position >= proof.position &&', '')],
  },
  {
    name: 'forget-what-was-seen',
    without: 'sessions may go back behind what they have read',
    patches: [
      patch(
        'sequelize/session-reads.ts',
        'return (node) => seen.isLast(this.runOf(node)) || this.#policy.shows(node, mark);',
        'return () => true;',
      ),
    ],
  },
];
