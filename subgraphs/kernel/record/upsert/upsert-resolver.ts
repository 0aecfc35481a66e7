import { Arg, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql'
import type { RequestContext } from '../../request.ts'
import { ExpectedVersionArg, InputArg } from '../args.ts'
import { withArticle } from '../article.ts'
import type { RecordDefinition, StoredRow } from '../definition.ts'
import { pluralOf, wordsOf } from '../describe.ts'
import { bulkMax, type Records } from '../records-of.ts'
import { RequiresScope } from '../requires-scope.ts'
import type { SelectionInfo } from '../selection.ts'
import { BulkUpsertResult } from './bulk-upsert-result.ts'
import { bulkUpsert } from './bulk-upsert.ts'
import { FieldArg, KeyValueArg, upsertTypes } from './upsert-types.ts'
import { requireIdOfKey, upsert } from './upsert.ts'

export const OnlyCreateArg = (): ParameterDecorator =>
  Arg('onlyCreate', () => Boolean, {
    nullable: true,
    description:
      'True: if there is a record with the key, it is refused with PRECONDITION_FAILED. Null: it is changed.',
  }) as ParameterDecorator

const ofMerged = ' The external id of a record that was merged leads to the one that stays.'

/** What the operations do, in words; `one` is the record type. */
export const upsertDescriptions = {
  byKey: (one: string, canBeMerged = false) =>
    `Returns the live ${one} with this value in a key field. Several of them, possible only for external ids from before they were unique, are AMBIGUOUS_MATCH.${canBeMerged ? ofMerged : ''}`,
  upsert: (one: string, canBeMerged = false) =>
    `Changes the ${one} with this key, or creates it with the key; both as the update and the create do. A ${one} that has the key and that the caller does not see is a UNIQUE_VIOLATION.${canBeMerged ? ofMerged : ''}`,
  bulkUpsert: (many: string) =>
    `Changes or creates 1 to ${bulkMax} ${many}, each by the value that it has in the key field. Each item succeeds or fails independently; items with the same key are applied in order.`,
}

/** The resolver with the operations by a key: `accountByKey`, `accountUpsert` and `accountBulkUpsert`. */
export function upsertResolver<T extends StoredRow>(
  definition: RecordDefinition<T>,
  scope: string,
  records: Records<T>,
  beforeBulk?: (ctx: RequestContext) => Promise<void>,
): new () => object {
  const { entity } = definition
  const types = upsertTypes(definition, scope)
  const prefix = entity.name.charAt(0).toLowerCase() + entity.name.slice(1)
  const one = wordsOf(entity.name)
  const canBeMerged = definition.merge !== undefined

  @Resolver()
  class UpsertResolver {
    @Query(() => entity, {
      name: `${prefix}ByKey`,
      nullable: true,
      description: upsertDescriptions.byKey(one, canBeMerged),
    })
    async readByKey(
      @FieldArg() field: string,
      @KeyValueArg() value: string,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      return records.one(ctx, await requireIdOfKey(ctx, definition, { field, value }), info)
    }

    @Mutation(() => types.Result, { name: `${prefix}Upsert`, description: upsertDescriptions.upsert(one, canBeMerged) })
    @RequiresScope(scope)
    upsertOne(
      @FieldArg() field: string,
      @KeyValueArg() value: string,
      @InputArg(() => types.Input) input: object,
      @ExpectedVersionArg() expectedVersion: number | null,
      @OnlyCreateArg() onlyCreate: boolean | null,
      @Ctx() ctx: RequestContext,
    ) {
      return upsert(ctx, definition, records, { field, value }, input, { expectedVersion, onlyCreate })
    }

    @Mutation(() => BulkUpsertResult, {
      name: `${prefix}BulkUpsert`,
      description: upsertDescriptions.bulkUpsert(pluralOf(one)),
    })
    @RequiresScope(scope)
    async bulkUpsertAll(
      @FieldArg() field: string,
      @Arg('items', () => [types.Item], {
        description: `The values of 1 to ${bulkMax} ${pluralOf(one)}, each with the key of ${withArticle(one)}.`,
      })
      items: object[],
      @Ctx() ctx: RequestContext,
    ) {
      await beforeBulk?.(ctx)
      return bulkUpsert(ctx, definition, records, field, items)
    }
  }
  return UpsertResolver
}
