import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Below this many a high percentile is little more than the maximum of too few. */
const ENOUGH = 100;

/** After this time the older of two histograms makes room: what was seen before is not "lately". */
const PERIOD_MS = 300_000;

/** The lag of one replica as it was seen over the last five to ten minutes. */
export class LagStatistics {
  #current: RecordableHistogram = createHistogram();
  #previous: RecordableHistogram = createHistogram();
  #since: number | undefined;

  /** @param at monotonic milliseconds */
  saw(ms: number, at: number): void {
    this.#since ??= at;
    if (at - this.#since >= PERIOD_MS) {
      this.#previous = this.#current;
      this.#current = createHistogram();
      this.#since = at;
    }
    // The histogram takes whole numbers from 1 up: microseconds.
    this.#current.record(Math.max(1, Math.round(ms * 1000)));
  }

  /** Milliseconds; `undefined` until enough was seen. */
  percentileMs(percentile: number): number | undefined {
    if (this.#current.count + this.#previous.count < ENOUGH) return undefined;
    const microseconds = [this.#current, this.#previous]
      .filter(({ count }) => count > 0)
      .map((histogram) => histogram.percentile(percentile));
    return Math.max(...microseconds) / 1000;
  }
}
