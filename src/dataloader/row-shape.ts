import type { Model, ModelStatic } from 'sequelize';
import type { KeyId } from './codec';

/** What the rows of a loader are, so far as another loader of the same rows cares. */
export interface RowShape {
  /** Rows of equal text are the same selection of the same model's columns, with nothing joined. */
  readonly selection: string;
  readonly model: ModelStatic<Model>;
  /**
   * Of a loader that finds one row by a unique column and nothing else: the key id of a row that
   * another loader read. `undefined` when its keys are no such thing, or have more conditions.
   */
  readonly idOf: ((row: object) => KeyId | undefined) | undefined;
}

/** Whether rows that loaders of `source` found answer the keys of `target`. */
export function answers(source: RowShape, target: RowShape): boolean {
  return (
    target.idOf !== undefined &&
    source.model === target.model &&
    source.selection === target.selection
  );
}
