/**
 * A top-level field of one GraphQL execution, with all that is resolved below it. Fields of one
 * execution are numbered in the order in which they begin.
 */
export class Field {
  /** The key in the response: the field's alias, or its name. */
  readonly key: string;
  readonly execution: Execution;
  readonly order: number;

  constructor(key: string, execution: Execution, order: number) {
    this.key = key;
    this.execution = execution;
    this.order = order;
  }

  /**
   * Whether a write made under `writer` counts for what is read under this field: its own, one of a
   * field that was over before this one began, and one of another execution.
   */
  sees(writer: Field): boolean {
    if (writer === this || writer.execution !== this.execution) return true;
    return this.execution.serial && writer.order < this.order;
  }
}

/** One execution of a GraphQL document (of a subscription: for one event). */
export class Execution {
  /** A mutation: a top-level field begins when the one before is over. */
  readonly serial: boolean;
  readonly #fields = new Map<string, Field>();

  constructor(options: { serial: boolean }) {
    this.serial = options.serial;
  }

  /** The top-level field with this response key. */
  field(key: string): Field {
    let field = this.#fields.get(key);
    if (!field) {
      field = new Field(key, this, this.#fields.size);
      this.#fields.set(key, field);
    }
    return field;
  }
}
