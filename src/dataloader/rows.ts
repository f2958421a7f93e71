import { DataTypes, Op, type FindOptions, type Model, type ModelStatic } from 'sequelize';
import { keyIdentity, isKey } from './keys';
import type { LoaderKey } from './types';

/** Finds the rows whose `column` holds one of some keys. */
export interface Finder<M extends Model> {
  readonly model: ModelStatic<M>;
  /** An attribute of the model. */
  readonly column: string;
  /** The conditions of the association itself. */
  readonly scope?: Readonly<Record<string, unknown>> | undefined;
  readonly options: {
    readonly attributes?: readonly string[];
    readonly where?: FindOptions<M>['where'];
    readonly order?: FindOptions<M>['order'];
    readonly include?: FindOptions<M>['include'];
    readonly paranoid?: boolean;
  };
}

/** The rows of all keys in one query, by the identity of their key. */
export async function findByColumn<M extends Model>(
  { model, column, scope, options }: Finder<M>,
  keys: readonly LoaderKey[],
  caseless: boolean,
): Promise<ReadonlyMap<string, M[]>> {
  const { attributes, where, ...rest } = options;
  // Sequelize lets a query's conditions replace those of the scope, name by name and as a whole for
  // Op.and: so the scope's own are written out beside ours.
  const modelScope = (model as unknown as { _scope?: { where?: FindOptions<M>['where'] } })._scope
    ?.where;
  const conditions = [modelScope, scope, where, { [column]: [...keys] }].filter(
    (part) => part !== undefined,
  );
  const rows = await model.findAll({
    ...rest,
    where: { [Op.and]: conditions },
    ...(attributes && { attributes: [...new Set([...attributes, column])] }),
  } as FindOptions<M>);

  const byKey = new Map<string, M[]>();
  for (const row of rows) {
    const key: unknown = row.get(column);
    if (!isKey(key)) continue;
    const identity = keyIdentity(key, caseless);
    const group = byKey.get(identity);
    if (group) group.push(row);
    else byKey.set(identity, [row]);
  }
  return byKey;
}

/** Whether the database compares the column's values without regard to case. */
export function isCaseless({ model, column }: Finder<Model>): boolean {
  const type: unknown = model.getAttributes()[column]?.type;
  return type instanceof DataTypes.UUID || type instanceof DataTypes.CITEXT;
}

export function isModel(value: unknown): value is ModelStatic<Model> {
  return (
    typeof value === 'function' &&
    typeof (value as { findAll?: unknown }).findAll === 'function' &&
    typeof (value as { getTableName?: unknown }).getTableName === 'function'
  );
}
