import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { HistoryEvent } from '../history';
import type { PartyOptions } from './party';
import type { FromChild, ToChild } from './process';

/** A party in a process of its own. */
export class SecondProcess {
  readonly #child: ChildProcess;
  readonly #waiting: { done: () => void; failed: (error: Error) => void }[] = [];
  #ended = false;

  constructor(sink: (event: HistoryEvent) => void) {
    this.#child = fork(path.join(__dirname, 'process.ts'), { execArgv: ['--import', 'tsx'] });
    this.#child.on('message', (message: FromChild) => {
      if (message.type === 'events') message.events.forEach(sink);
      else if (message.error === undefined) this.#waiting.shift()?.done();
      else this.#waiting.shift()?.failed(new Error(message.error));
    });
    this.#child.on('exit', (code, signal) => {
      this.#ended = true;
      const how = signal ?? `status ${code ?? ''}`;
      for (const { failed } of this.#waiting.splice(0)) {
        failed(new Error(`the second process ended with ${how}`));
      }
    });
  }

  start(folder: string, options: PartyOptions): Promise<void> {
    return this.#tell({ type: 'start', folder, options });
  }

  stop(): Promise<void> {
    return this.#tell({ type: 'stop' });
  }

  /** Ends it whatever it is doing. */
  kill(): void {
    if (!this.#ended) this.#child.kill('SIGKILL');
  }

  #tell(message: ToChild): Promise<void> {
    if (this.#ended) return Promise.reject(new Error('the second process has ended'));
    return new Promise((done, failed) => {
      this.#waiting.push({ done, failed });
      this.#child.send(message);
    });
  }
}
