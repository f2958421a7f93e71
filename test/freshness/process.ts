import { Progress, type Ticket } from '../../src/freshness/progress';
import type { Reading } from '../../src/freshness/reading';
import type { Proof } from '../../src/operation';
import type { Server, World } from './world';

/** A commit as one process counts it, whoever made it. */
export interface Mark {
  readonly commit: number;
  readonly seq: number;
  readonly proof: Proof | undefined;
}

interface Question {
  readonly node: string;
  readonly server: Server;
  readonly ticket: Ticket;
  readonly seq: number;
  reading?: Reading;
}

/** One process of several over a {@link World}: it counts, asks and hears for itself. */
export class Process {
  readonly progress: Progress;
  /** Its own commits, and those that it was told of. */
  readonly marks: Mark[] = [];
  /** Where its connections under the primary's name lead. */
  primary: Server;
  #time = 0;
  #questions: Question[] = [];

  constructor(
    readonly world: World,
    readonly replicas: readonly Server[],
    private readonly visible: boolean,
  ) {
    this.primary = world.primary;
    const names = replicas.map(({ name }) => name);
    const events = { warn: () => undefined, changed: () => undefined };
    this.progress = new Progress('primary', names, events);
  }

  /** Whether its primary is the one of today: the one before gives no answers any more. */
  get isConnected(): boolean {
    return this.primary === this.world.primary;
  }

  commit(): void {
    if (!this.isConnected) return;
    this.world.write(true);
    this.marks.push({ commit: this.world.time, seq: ++this.#time, proof: undefined });
  }

  /** What a token of this process says of a commit; `undefined`: not where it is. */
  tell(mark: Mark): Proof | undefined {
    const { here } = this.progress.places;
    const proof = mark.proof ?? this.progress.places.covering(mark.seq);
    return proof?.timeline === here?.timeline ? proof : undefined;
  }

  /** Takes a token in. What is said of another log than its own counts for nothing. */
  learn(commit: number, proof: Proof): void {
    const { here } = this.progress.places;
    const foreign = here !== undefined && here.timeline !== proof.timeline;
    this.marks.push({ commit, seq: ++this.#time, proof: foreign ? undefined : proof });
  }

  /** Its next connections lead to the primary of today. */
  reconnect(): void {
    const { world, progress } = this;
    this.primary = world.primary;
    progress.primarySaid(world.reading(world.primary), progress.ticket('primary'));
  }

  /** It notices that a server went down, under all the names that it knows it by. */
  lose(server: Server): void {
    this.drop(server);
    if (server === this.primary) this.progress.lost('primary');
    if (this.replicas.includes(server)) this.progress.lost(server.name);
  }

  /** A server that goes down answers nothing that it was asked before. */
  drop(server: Server): void {
    this.#questions = this.#questions.filter((asked) => asked.reading ?? asked.server !== server);
  }

  ask(node: string, server: Server): void {
    const ticket = this.progress.ticket(node);
    this.#questions.push({ node, server, ticket, seq: this.#time });
  }

  /** One of the servers answers one of the questions. */
  answer(part: number): void {
    const question = pick(this.#unanswered, part);
    if (question) question.reading = this.world.reading(question.server, this.visible);
  }

  /** One of the answers arrives. */
  hear(part: number): void {
    const question = pick(
      this.#questions.filter(({ reading }) => reading),
      part,
    );
    if (question) this.#hear(question);
  }

  /** Asks and hears at once. */
  probe(node: string, server: Server): void {
    if (this.#isDead(server)) return;
    this.ask(node, server);
    const question = this.#questions.at(-1)!;
    question.reading = this.world.reading(server, this.visible);
    this.#hear(question);
  }

  get #unanswered(): Question[] {
    return this.#questions.filter(({ server, reading }) => !reading && !this.#isDead(server));
  }

  #hear(question: Question): void {
    this.#questions = this.#questions.filter((other) => other !== question);
    const { node, ticket, seq, reading } = question;
    if (node === 'primary') this.progress.primarySaid(reading!, ticket, { seq, sentAt: 0 });
    else this.progress.replicaSaid(node, reading!, ticket);
  }

  #isDead(server: Server): boolean {
    return this.world.old.includes(server);
  }
}

export function pick<T>(list: readonly T[], part: number): T | undefined {
  return list[Math.min(Math.floor(part * list.length), list.length - 1)];
}
