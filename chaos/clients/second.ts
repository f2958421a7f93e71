import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { HistoryEvent } from '../history';
import type { PartyOptions } from './party';
import type { FromChild, ToChild } from './process';
import type { VisitOutcome, VisitPlan } from './visit';

type Request = ToChild extends infer Message
  ? Message extends ToChild
    ? Omit<Message, 'id'>
    : never
  : never;

interface Waiting {
  readonly done: (result: VisitOutcome | undefined) => void;
  readonly failed: (error: Error) => void;
}

/** A party in a process of its own. */
export class SecondProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  #ended = false;

  constructor(sink: (event: HistoryEvent) => void) {
    this.#child = fork(path.join(__dirname, 'process.ts'), { execArgv: ['--import', 'tsx'] });
    this.#child.on('message', (message: FromChild) => {
      if (message.type === 'events') {
        message.events.forEach(sink);
        return;
      }
      const asked = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.type === 'done') asked?.done(message.result);
      else asked?.failed(new Error(message.error));
    });
    this.#child.on('exit', (code, signal) => {
      this.#ended = true;
      const how = signal ?? `status ${code ?? ''}`;
      for (const { failed } of this.#waiting.values()) {
        failed(new Error(`the second process ended with ${how}`));
      }
    });
  }

  async start(folder: string, options: PartyOptions): Promise<void> {
    await this.#ask({ type: 'start', folder, options });
  }

  async visit(plan: VisitPlan): Promise<VisitOutcome> {
    const outcome = await this.#ask({ type: 'visit', plan });
    if (!outcome) throw new Error('the second process has no clients yet');
    return outcome;
  }

  async stop(): Promise<void> {
    await this.#ask({ type: 'stop' });
  }

  /** Ends it whatever it is doing. */
  kill(): void {
    if (!this.#ended) this.#child.kill('SIGKILL');
  }

  #ask(request: Request): Promise<VisitOutcome | undefined> {
    if (this.#ended) return Promise.reject(new Error('the second process has ended'));
    const id = ++this.#count;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done, failed });
      this.#child.send({ id, ...request });
    });
  }
}
