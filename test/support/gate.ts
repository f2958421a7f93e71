/** Stops the first one who comes to `pass` until it is opened. */
export class Gate {
  /** Somebody stands at it. */
  readonly reached: Promise<void>;
  open!: () => void;
  readonly #opened: Promise<void>;
  #arrived!: () => void;
  #taken = false;

  constructor() {
    this.reached = new Promise((resolve) => (this.#arrived = resolve));
    this.#opened = new Promise((resolve) => (this.open = resolve));
  }

  readonly pass = async (): Promise<void> => {
    if (this.#taken) return;
    this.#taken = true;
    this.#arrived();
    await this.#opened;
  };
}
