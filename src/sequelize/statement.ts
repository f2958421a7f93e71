import type { Frame, NodeRun } from '../operation';
import type { StatementView, Verdict } from '../routing';
import type { Analysis } from '../statement';
import type { SentWrite } from './marker';
import type { Route } from './route';

/** What is known of one call of `sequelize.query`, from its text to its end. */
export class Statement {
  /** The text as the server will see it; `undefined` when it can't be told. */
  readonly text: string | undefined;
  /** Built by Sequelize as a plain INSERT: its values are literals that nobody else wrote. */
  readonly builtInsert: boolean;
  /** The names in it are looked up along a search path of its own. */
  readonly ownSearchPath: boolean;
  readonly frame: Frame;
  /** What the caller said, before we put our route in its place. */
  useMaster: boolean | undefined;
  /** What its text says, found out once: that of a long INSERT takes a while to look through. */
  analysis: Analysis | undefined;
  /** Whether it is a read, found out once. */
  view: StatementView | undefined;
  /** The catalog that `view` was found out with. */
  viewedWith: object | undefined;
  verdict: Verdict | undefined;
  /** How long it was held back for a replica to catch up, in milliseconds. */
  waitedMs = 0;
  /**
   * How many reads of its operation had ended when it was decided on; `UNCHECKED`: it may be sent to
   * a node that does not show what they have shown.
   */
  readsBefore = 0;
  /** The node that it was sent to, where it matters what has been read. */
  from: NodeRun | undefined;
  /** What it writes, once that is marked. */
  sent: SentWrite | undefined;
  /** Where it was sent, when it was sent by a route of ours. */
  route: Route | undefined;
  /** Replicas that have failed on it. */
  failedOn: readonly string[] = [];
  /** A standby refused it for writing: its text does not show all that it does. */
  writesInDisguise = false;

  constructor(
    text: string | undefined,
    frame: Frame,
    facts: { builtInsert?: boolean; ownSearchPath?: boolean } = {},
  ) {
    this.text = text;
    this.frame = frame;
    this.builtInsert = facts.builtInsert ?? false;
    this.ownSearchPath = facts.ownSearchPath ?? false;
  }
}
