import { currentFrame, type Frame, type Ledger, type OpenWrite } from '../operation';
import type { Connection, RunnableQuery, StatementOptions } from './internals';
import type { Effect, Knowledge } from './knowledge';
import { outcomeOf, writesOn, type Outcome, type UnknownHandler } from './open-writes';
import { Statement } from './statement';

/** A write between its mark and its outcome. */
export interface SentWrite {
  dropUnlessSent(): void;
}

/** Marks what a statement writes before it is sent, and follows it to its outcome. */
export class Marker {
  readonly #ledger: Ledger;
  readonly #knowledge: Knowledge;
  readonly #onUnknown: UnknownHandler;
  readonly #toLookAt = new WeakSet<Connection>();

  constructor(ledger: Ledger, knowledge: Knowledge, onUnknown: UnknownHandler) {
    this.#ledger = ledger;
    this.#knowledge = knowledge;
    this.#onUnknown = onUnknown;
  }

  /**
   * Notes a statement that may write from the call on: it may have to wait for a connection before it
   * is marked, and a session token has to wait for it all the same.
   */
  issued(statement: Statement): (() => void) | undefined {
    const { operation } = statement.frame;
    if (!operation || this.#knowledge.view(statement).nature !== 'not-a-read') return undefined;
    return this.#ledger.expectWrite(operation);
  }

  /** Marks the statement's writes. `undefined` when it writes nothing. */
  mark(statement: Statement, query: RunnableQuery, onStandby: boolean): SentWrite | undefined {
    const effect = this.#knowledge.effect(statement, onStandby);
    if (!effect) {
      const prepared = this.#knowledge.preparedTransaction(statement);
      if (prepared) writesOn(query.connection).prepares(prepared.id);
      return undefined;
    }
    const { write, done } = this.#open(effect, statement.frame, query);
    const run = query.run.bind(query);
    let sent = false;
    query.run = async (sql, parameters) => {
      sent = true;
      return settle(run(sql, parameters), done);
    };
    return {
      dropUnlessSent: () => {
        if (!sent && write.state === 'in-flight') done('unsent');
      },
    };
  }

  /**
   * After a statement, or the COMMIT of its transaction: when it may have changed the catalog, a look
   * that has to be awaited before the statement is over. Whoever can know of the change has waited
   * for that, so nobody else needs to doubt what they know meanwhile.
   */
  lookAfter({ connection }: RunnableQuery): Promise<void> | undefined {
    if (!this.#toLookAt.delete(connection)) return undefined;
    return this.#knowledge.catalog.look(async (sql) => (await connection.query(sql)).rows);
  }

  /**
   * For a statement that did not come through our `query`: its text is first seen when it is run.
   */
  markUnseen(query: RunnableQuery): void {
    const frame = currentFrame();
    const run = query.run.bind(query);
    query.run = async (sql, parameters) => {
      const effect = this.#knowledge.effect(new Statement(sql, frame), false);
      if (!effect) return run(sql, parameters);
      return settle(run(sql, parameters), this.#open(effect, frame, query).done);
    };
  }

  /** Statements that nobody asked for: transaction control, and Sequelize's look at the version. */
  isHousekeeping(statement: Statement, options: StatementOptions): boolean {
    if (options.transaction && !('id' in options.transaction)) return true;
    return this.#knowledge.isTransactionControl(statement);
  }

  #open(
    effect: Effect,
    frame: Frame,
    query: RunnableQuery,
  ): { write: OpenWrite; done: (outcome: Outcome) => void } {
    const { tables, ignored, definition, single } = effect;
    const write = this.#ledger.open(tables, ignored, frame);
    if (definition === 'certain') {
      this.#knowledge.catalog.changeBegins();
      write.onEnd((committed) => this.#knowledge.catalog.changeEnds(committed));
    } else if (definition === 'possible') {
      write.onEnd((committed) => {
        if (committed) this.#toLookAt.add(query.connection);
      });
    }
    return { write, done: writesOn(query.connection).add(write, single, this.#onUnknown) };
  }
}

async function settle(
  running: Promise<unknown>,
  done: (outcome: Outcome) => void,
): Promise<unknown> {
  try {
    const result = await running;
    done('ok');
    return result;
  } catch (error) {
    done(outcomeOf(error));
    throw error;
  }
}
