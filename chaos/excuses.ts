import { PRIMARY, type Fault, type WriteSent } from './history';

/** How long after the end of a fault connections may still die of it, in milliseconds. */
const GRACE_MS = 3000;
/**
 * How long a commit that does not wait for the disk can still be lost, in milliseconds: three times
 * wal_writer_delay, says the PostgreSQL manual (30.4, Asynchronous Commit), and some for the load.
 */
const UNFLUSHED_MS = 2000;

/** When the primary was being broken on purpose: errors of that time are nobody's fault. */
export class Excuses {
  readonly #spans: { readonly id: string; readonly from: number; to: number }[] = [];

  note({ id, node, state, at }: Fault): void {
    if (node !== PRIMARY) return;
    if (state === 'begins') this.#spans.push({ id, from: at, to: Infinity });
    const span = this.#spans.find((known) => known.id === id);
    if (span && state === 'ends') span.to = at + GRACE_MS;
  }

  /** Whether a fault of the primary may have undone a write that was acknowledged at `acknowledgedAt`. */
  mayUndo({ lossy, at }: WriteSent, acknowledgedAt: number): boolean {
    return lossy === true && this.covers(at, acknowledgedAt + UNFLUSHED_MS);
  }

  /** Whether a fault of the primary falls into the time between the two moments. */
  covers(from: number, to: number): boolean {
    return this.#spans.some((span) => span.from <= to && from <= span.to);
  }
}
