import type { Register, WriteSent } from './history';

/** The least that a read must show, and the write (or, for what was seen before, the read) it follows from. */
export interface Floor {
  readonly version: number;
  readonly write: WriteSent | undefined;
  /** The read that has shown it already. */
  readonly shownBy?: string;
}

/** What one scope (an operation, a session, a process) knows of. */
export class Floors {
  readonly #byRegister = new Map<Register, Floor>();

  get(register: Register): Floor | undefined {
    return this.#byRegister.get(register);
  }

  raise(register: Register, floor: Floor): void {
    const known = this.#byRegister.get(register);
    if (!known || known.version < floor.version) this.#byRegister.set(register, floor);
  }

  wrote(write: WriteSent): void {
    for (const register of registersOf(write)) {
      this.raise(register, { version: write.version, write });
    }
  }

  raiseAll(others: Floors): void {
    for (const [register, floor] of others.#byRegister) this.raise(register, floor);
  }
}

export function registersOf({ sets, removes = [] }: WriteSent): readonly Register[] {
  return removes.length === 0 ? sets : [...sets, ...removes];
}

/** The highest of what several scopes ask for. */
export function highest(
  register: Register,
  scopes: readonly (Floors | undefined)[],
): Floor | undefined {
  let found: Floor | undefined;
  for (const scope of scopes) {
    const floor = scope?.get(register);
    if (floor && (!found || floor.version > found.version)) found = floor;
  }
  return found;
}
