interface Job {
  readonly work: () => Promise<void>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Runs jobs in the asynchronous context in which it was made, as connection pools, batchers and job
 * queues do that don't take care: whoever hands a job in is forgotten.
 */
export class Queue {
  readonly #jobs: Job[] = [];
  #wake: () => void = () => undefined;
  #open = true;

  constructor() {
    void this.#loop();
  }

  run(work: () => Promise<void>): Promise<void> {
    return new Promise((done, failed) => {
      this.#jobs.push({ work, done, failed });
      this.#wake();
    });
  }

  close(): void {
    this.#open = false;
    this.#wake();
  }

  async #loop(): Promise<void> {
    while (this.#open) {
      for (const { work, done, failed } of this.#jobs.splice(0)) work().then(done, failed);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
