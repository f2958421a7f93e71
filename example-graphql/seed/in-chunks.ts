export type Progress = (table: string, done: number, of: number) => void;

const CHUNK = 1000;

/** Makes `size` rows, a thousand a statement, and tells how far it is. */
export async function inChunks<Attributes, Row>(
  table: string,
  size: number,
  progress: Progress,
  rowAt: (index: number) => Attributes,
  create: (rows: Attributes[]) => Promise<Row[]>,
): Promise<Row[]> {
  const made: Row[] = [];
  while (made.length < size) {
    const from = made.length;
    const length = Math.min(CHUNK, size - from);
    made.push(...(await create(Array.from({ length }, (_, offset) => rowAt(from + offset)))));
    progress(table, made.length, size);
  }
  return made;
}
