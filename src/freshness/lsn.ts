/** Sizes of the header at the start of a page of write-ahead log: of a usual page, and of a segment's first. */
const PAGE_HEADER = 24n;
const SEGMENT_HEADER = 40n;

const FORM = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i;

/** A position as PostgreSQL prints it (`16/B374D848`), as a number of bytes. */
export function parseLsn(text: string): bigint {
  const match = FORM.exec(text);
  if (!match) throw new Error(`not a position in the write-ahead log: ${JSON.stringify(text)}`);
  return (BigInt(`0x${match[1] ?? ''}`) << 32n) + BigInt(`0x${match[2] ?? ''}`);
}

/** The inverse of {@link parseLsn}. */
export function formatLsn(position: bigint): string {
  return `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`.toUpperCase();
}

/**
 * The position at which a standby stops when it has everything before the insert position `lsn`.
 *
 * When the last record ends exactly with its page, the primary names the place where the next one
 * will start, behind the header of a page that is not there yet; a standby names the record's end.
 * A record that merely ends 24 or 40 bytes into a page began on the page before, so no replay
 * position lies between the page's start and its end: there the answer is right as well.
 */
export function reachable(lsn: bigint, pageSize: bigint): bigint {
  const intoPage = lsn % pageSize;
  return intoPage === PAGE_HEADER || intoPage === SEGMENT_HEADER ? lsn - intoPage : lsn;
}
