import type { Model, ModelStatic } from 'sequelize';
import { OptionsError, echo } from '../errors';
import { isRecord } from '../validate';
import type { ThroughAssociation } from './place';
import { columnKey, keyIn } from './row-loader';
import type { LoadKey } from './types';

/** The members of Sequelize's associations that this room uses. */
export interface AssociationParts extends ThroughAssociation {
  readonly associationType: string;
  readonly as: string;
  readonly source: ModelStatic<Model>;
  readonly sourceKey: string;
  readonly targetKey: string;
}

const DEFINITIONS = {
  HasMany: "hasMany(Other, { as: 'name' })",
  HasOne: "hasOne(Other, { as: 'name' })",
  BelongsTo: "belongsTo(Other, { as: 'name' })",
  BelongsToMany: "belongsToMany(Other, { as: 'name', through: Link })",
};

export type AssociationKind = keyof typeof DEFINITIONS;

/** @throws OptionsError when `association` is of none of the kinds; `factory` names the function. */
export function assertAssociation(
  factory: string,
  kinds: readonly [AssociationKind, ...AssociationKind[]],
  association: unknown,
): AssociationParts & { readonly label: string } {
  const type = isRecord(association) ? association['associationType'] : undefined;
  if (!(kinds as readonly unknown[]).includes(type)) {
    const got = typeof type === 'string' ? `a ${type} association` : echo(association);
    const fix = association === undefined ? `: ${howToDefine(factory, kinds[0])}` : '.';
    throw new OptionsError(
      `${factory}(association, options): association must be a ${kinds.join(' or ')} association such as Model.associations.name, got ${got}${fix}`,
    );
  }
  const parts = association as AssociationParts;
  return {
    associationType: parts.associationType,
    as: parts.as,
    source: parts.source,
    sourceKey: parts.sourceKey,
    target: parts.target,
    targetKey: parts.targetKey,
    foreignKey: parts.foreignKey,
    scope: parts.scope,
    through: parts.through,
    oneFromTarget: parts.oneFromTarget,
    label: `${factory}(${parts.source.name}.${parts.as})`,
  };
}

/** For `Model.associations.name` where there is no such name: misspelt, or the associations come later. */
function howToDefine(factory: string, kind: AssociationKind): string {
  return (
    'no association of that name is defined (yet). Check the name, and call ' +
    `Model.${DEFINITIONS[kind]} before ${factory}(Model.associations.name).`
  );
}

/** Keys that are given as a value or as the instance that holds it in `attribute`. */
export function keyOrInstance(
  label: string,
  { source }: AssociationParts,
  attribute: string,
  column: { readonly model: ModelStatic<Model>; readonly attribute: string },
): (input: unknown) => LoadKey | undefined {
  const keyOf = columnKey(label, column.model, column.attribute, source.name);
  return (input) => {
    if (!isInstance(input, source)) return keyOf(input);
    const value = keyIn(input, attribute);
    if (value === undefined) assertLoaded(label, input, attribute);
    return value === undefined ? undefined : keyOf(value);
  };
}

/** `instanceof` walks the chain of classes each time, and there is one of these a key. */
function isInstance(input: unknown, model: ModelStatic<Model>): input is Model {
  if (typeof input !== 'object' || input === null) return false;
  return input.constructor === model || input instanceof model;
}

/** An instance that was read without the attribute has no answer, which is not the answer "none". */
function assertLoaded(label: string, instance: Model, attribute: string): void {
  const { dataValues } = instance as unknown as { dataValues: Record<string, unknown> };
  if (dataValues[attribute] !== undefined || instance.isNewRecord) return;
  throw new OptionsError(
    `${label}: the ${instance.constructor.name} was read without ${echo(attribute)}; add it to its attributes, or give the key.`,
  );
}
