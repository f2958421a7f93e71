import { PRIMARY, type Fault } from './history';

/** How long after the end of a fault connections may still die of it, in milliseconds. */
const GRACE_MS = 3000;

/** When the primary was being broken on purpose: errors of that time are nobody's fault. */
export class Excuses {
  readonly #spans: { readonly id: string; readonly from: number; to: number }[] = [];

  note({ id, node, state, at }: Fault): void {
    if (node !== PRIMARY) return;
    if (state === 'begins') this.#spans.push({ id, from: at, to: Infinity });
    const span = this.#spans.find((known) => known.id === id);
    if (span && state === 'ends') span.to = at + GRACE_MS;
  }

  /** Whether a fault of the primary falls into the time between the two moments. */
  covers(from: number, to: number): boolean {
    return this.#spans.some((span) => span.from <= to && from <= span.to);
  }
}
