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
      this.#followWriteless(statement, query);
      return undefined;
    }
    const { write, done } = this.#open(effect, statement.frame, query);
    let sent = false;
    this.#follow(query, () => {
      sent = true;
      return done;
    });
    return {
      dropUnlessSent: () => {
        if (!sent && write.state === 'in-flight') done('unsent');
      },
    };
  }

  /** It may be the COMMIT of writes, on whatever connection; a read is left alone. */
  #followWriteless(statement: Statement, query: RunnableQuery): void {
    const { connection } = query;
    if (this.#knowledge.view(statement).nature === 'not-a-read') {
      const prepared = this.#knowledge.preparedTransaction(statement);
      if (prepared) writesOn(connection).prepares(prepared.id);
    } else if (!this.#toLookAt.has(connection)) {
      return;
    }
    this.#follow(query, () => undefined);
  }

  /**
   * Follows a query from the moment it is sent, which `begin` is told, to its end. After the statement,
   * or the COMMIT of its transaction, when it may have changed the catalog there is a look at that, to
   * be awaited before the statement is over: whoever can know of the change has waited for it, so
   * nobody else needs to doubt what they know meanwhile.
   */
  #follow(
    query: RunnableQuery,
    begin: (sql: string) => ((outcome: Outcome) => void) | undefined,
  ): void {
    const run = query.run.bind(query);
    const { connection } = query;
    query.run = async (sql, parameters) => {
      const done = begin(sql);
      try {
        const result = await run(sql, parameters);
        done?.('ok');
        return result;
      } catch (error) {
        done?.(outcomeOf(error));
        throw error;
      } finally {
        if (this.#toLookAt.delete(connection)) {
          await this.#knowledge.catalog.look(async (text) => (await connection.query(text)).rows);
        }
      }
    };
  }

  /**
   * For a statement that did not come through our `query`: its text is first seen when it is run.
   */
  markUnseen(query: RunnableQuery): void {
    const frame = currentFrame();
    this.#follow(query, (sql) => {
      const effect = this.#knowledge.effect(new Statement(sql, frame), false);
      return effect && this.#open(effect, frame, query).done;
    });
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
