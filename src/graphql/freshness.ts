import {
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isUnionType,
  valueFromASTUntyped,
  type ConstDirectiveNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { OptionsError, echo } from '../errors';
import type { FieldFreshness } from '../operation';
import { isRecord, rejectUnknownKeys } from '../validate';

/**
 * Declares `@freshness` in a schema written in SDL. On a field it speaks for every statement and
 * every loader's batch issued under that field; on a type, for the fields that return it.
 *
 * - `FRESH`: the normal rule, under a field that says otherwise.
 * - `PRIMARY`: reads on the primary.
 * - `REPLICA`: reads on replicas, however old they are.
 * - `maxLagMs`: only replicas known to be no further behind, in milliseconds.
 *
 * A schema made by code has `extensions: { freshness: { read: 'PRIMARY' } }` in its place.
 */
export const freshnessTypeDefs = `
directive @freshness(read: FreshnessRead = FRESH, maxLagMs: Int) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION

enum FreshnessRead {
  FRESH
  PRIMARY
  REPLICA
}
`;

const READS: ReadonlyMap<unknown, FieldFreshness['read']> = new Map([
  ['FRESH', 'fresh'],
  ['PRIMARY', 'primary'],
  ['REPLICA', 'replica'],
]);

/** What the schema says of the reads under a field; `undefined` where it says nothing. */
export type FreshnessOf = (field: GraphQLField<unknown, unknown>) => FieldFreshness | undefined;

/**
 * Reads every `@freshness` of a schema. `undefined` when there is none.
 *
 * @throws OptionsError naming the field or type whose `@freshness` makes no sense
 */
export function readFreshness(schema: GraphQLSchema): FreshnessOf | undefined {
  const ofTypes = new Map<string, FieldFreshness>();
  const ofFields = new Map<GraphQLField<unknown, unknown>, FieldFreshness>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type)) continue;
    const nodes = [type.astNode, ...type.extensionASTNodes];
    const ofType = declared(type.name, type.extensions['freshness'], directivesOf(nodes));
    if (ofType) {
      assertCanHaveIt(type, schema);
      ofTypes.set(type.name, ofType);
    }
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const where = `${type.name}.${field.name}`;
      const own = declared(where, field.extensions['freshness'], directivesOf([field.astNode]));
      if (own && isInterfaceType(type)) {
        throw new OptionsError(
          `${where}: @freshness on a field of an interface says nothing, since objects are what is resolved; put it on that field of the object types.`,
        );
      }
      if (own) ofFields.set(field, own);
    }
  }
  if (ofTypes.size === 0 && ofFields.size === 0) return undefined;
  return (field) => ofFields.get(field) ?? ofTypes.get(getNamedType(field.type).name);
}

interface DirectivesHolder {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

function directivesOf(
  nodes: readonly (DirectivesHolder | null | undefined)[],
): ConstDirectiveNode[] {
  return nodes
    .flatMap((node) => node?.directives ?? [])
    .filter(({ name }) => name.value === 'freshness');
}

function declared(
  where: string,
  extension: unknown,
  [directive, another]: readonly ConstDirectiveNode[],
): FieldFreshness | undefined {
  if (another) throw new OptionsError(`${where}: @freshness is given twice; leave one.`);
  if (extension !== undefined) {
    if (directive) {
      throw new OptionsError(`${where}: both @freshness and extensions.freshness; leave one.`);
    }
    if (!isRecord(extension)) {
      throw new OptionsError(
        `${where}: extensions.freshness must be an object such as { read: 'PRIMARY' }, got ${echo(extension)}.`,
      );
    }
    return validated(`${where}: extensions.freshness`, extension);
  }
  if (!directive) return undefined;
  const given = Object.fromEntries(
    (directive.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value)]),
  );
  return validated(`${where}: @freshness`, given);
}

function validated(where: string, given: Readonly<Record<string, unknown>>): FieldFreshness {
  rejectUnknownKeys(where, given, ['read', 'maxLagMs']);
  const word = given['read'] ?? 'FRESH';
  const read = READS.get(word);
  if (!read) {
    throw new OptionsError(`${where}: read must be FRESH, PRIMARY or REPLICA, got ${echo(word)}.`);
  }
  const maxLagMs = given['maxLagMs'] ?? undefined;
  if (maxLagMs === undefined) {
    if (Object.keys(given).length === 0) {
      throw new OptionsError(`${where} says nothing; give read, maxLagMs, or both.`);
    }
    return { read, maxLagMs };
  }
  if (typeof maxLagMs !== 'number' || !Number.isFinite(maxLagMs) || maxLagMs < 0) {
    throw new OptionsError(
      `${where}: maxLagMs must be a number of milliseconds, zero or more, got ${echo(maxLagMs)}.`,
    );
  }
  if (read === 'primary') {
    throw new OptionsError(
      `${where}: maxLagMs (${maxLagMs}) bounds what replicas may answer, and read: PRIMARY asks none; leave one.`,
    );
  }
  return { read, maxLagMs };
}

function assertCanHaveIt(type: GraphQLNamedType, schema: GraphQLSchema): void {
  if (
    [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].includes(
      type as never,
    )
  ) {
    throw new OptionsError(
      `${type.name}: no field returns this type, so @freshness on it says nothing; put it on its fields.`,
    );
  }
  if (isObjectType(type) || isInterfaceType(type) || isUnionType(type)) return;
  throw new OptionsError(
    `${type.name}: @freshness is for fields, object types, interfaces and unions; no read belongs to this type.`,
  );
}
