import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import type { RequestContext } from '../request.ts'
import { withArticle } from './article.ts'
import { aggregateArgs } from './aggregate/aggregate-args.ts'
import { Aggregate, aggregateDescription, type AggregateArgs } from './aggregate/aggregate-types.ts'
import { readAggregate } from './aggregate/read-aggregate.ts'
import { AsOfArg, ExpectedVersionArg, IdArg, InputArg } from './args.ts'
import type { Class } from './declared-class.ts'
import type { RecordDefinition, RecordShape, StoredRow } from './definition.ts'
import { pluralOf, wordsOf } from './describe.ts'
import { connectionOf, filterOf, importInputOf, pageOf, updateInputOf } from './inputs.ts'
import { orderOf } from './order-input.ts'
import { withoutUnused, type FilterInput } from './filter-input.ts'
import type { ConnectionArgs, PageArgs } from './list.ts'
import { connectionArgs, pageArgs, DeletedPageArgs } from './list-args.ts'
import { hasPast } from './past/past-shape.ts'
import { registerOperations } from './record-operations.ts'
import { recordsOf, type RecordActions } from './records-of.ts'
import { RequiresScope, RequiresScopes, scopeOf } from './requires-scope.ts'
import type { SelectionInfo } from './selection.ts'
import { upsertResolver } from './upsert/upsert-resolver.ts'

/** The GraphQL types of the standard operations of a record type. */
export interface OperationTypes {
  readonly CreateInput: Class
  readonly UpdateInput: Class
  readonly Filter: Class
  readonly Order: Class
  readonly Page: Class
  readonly PageArgs: Class
  readonly Connection: Class
  readonly ConnectionArgs: Class
  readonly AggregateArgs: Class
}

/** Declares the inputs, pages and arguments of a record type: `AccountCreateInput` to `AccountConnection`. Call it once for each type. */
export function operationTypes<T extends StoredRow>(definition: RecordDefinition<T>, scope: string): OperationTypes {
  const { entity, relations, isCustomizable } = definition
  const { name } = entity
  const filter = filterOf(`${name}Filter`, entity, relations)
  const order = orderOf(`${name}Order`, entity, isCustomizable)
  return {
    CreateInput: importInputOf(`${name}CreateInput`, entity),
    UpdateInput: updateInputOf(`${name}UpdateInput`, entity),
    Filter: filter,
    Order: order,
    Page: pageOf(`${name}Page`, entity, scope),
    PageArgs: pageArgs(filter, order),
    Connection: connectionOf(name, entity, scope),
    ConnectionArgs: connectionArgs(filter, order),
    AggregateArgs: aggregateArgs(definition, filter),
  }
}

/** Reads the statistics of the records that match a filter, or of all that the caller sees. */
export type StatsReader = (ctx: RequestContext, filter: FilterInput | null) => Promise<object>

export interface StandardOperations<T extends StoredRow> {
  /** The resource in the names of the scopes: `ACCOUNTS`. */
  readonly scope: string
  readonly types: OperationTypes
  readonly actions?: RecordActions<T>
  readonly stats: { readonly type: Class; readonly read: StatsReader }
  /** Runs before the transaction of a bulk upsert: what its creates and updates must not do inside of one. */
  readonly beforeBulk?: (ctx: RequestContext) => Promise<void>
  /** Description of restore, where it is more than that it restores the record. */
  readonly restoreDescription?: string
}

/** The argument of statistics of a record type: the filter of its list. */
export function StatsFilterArg({ entity, totals }: RecordShape, filter: Class): ParameterDecorator {
  const many = pluralOf(wordsOf((entity as { name: string }).name))
  const maintained = totals
    ? ' Without a filter, and with one by enumerated fields only, the figures are maintained; otherwise the matching records are read.'
    : ''
  const description = `Conditions; null: all ${many} that the caller sees.${maintained}`
  return Arg('filter', () => filter, { nullable: true, description }) as ParameterDecorator
}

/**
 * The resolver with the operations that every record type has: `account`, `accountList`, `accountConnection`, `accountListDeleted`,
 * `accountStats`, `accountAggregate`, `accountCreate`, `accountUpdate`, `accountDelete` and `accountRestore`, and those by a key (`upsertResolver`). The
 * resolver of the type extends it.
 */
export function standardResolver<T extends StoredRow>(
  definition: RecordDefinition<T>,
  { scope, types, actions, stats, beforeBulk, restoreDescription }: StandardOperations<T>,
): new () => object {
  const records = recordsOf(definition, actions)
  registerOperations(definition, records, scope)
  const { entity } = definition
  const prefix = entity.name.charAt(0).toLowerCase() + entity.name.slice(1)
  const one = wordsOf(entity.name)
  const isPastKnown = hasPast(definition)

  @Resolver()
  class StandardResolver extends upsertResolver(definition, scope, records, beforeBulk) {
    // A method must not have the name of a field of a record type, whose resolver would replace it.
    @Query(() => entity, { name: prefix, nullable: true })
    readOne(
      @IdArg() id: string,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
      @AsOfArg(false, isPastKnown) asOf?: string | null,
    ) {
      return records.one(ctx, id, info, asOf)
    }

    @Query(() => types.Page, { name: `${prefix}List` })
    readList(
      @Args(() => types.PageArgs) args: PageArgs,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
      @AsOfArg(true, isPastKnown) asOf?: string | null,
    ) {
      return records.page(ctx, args, info, asOf)
    }

    @Query(() => types.Connection, { name: `${prefix}Connection` })
    readConnection(
      @Args(() => types.ConnectionArgs) args: ConnectionArgs,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
      @AsOfArg(true, isPastKnown) asOf?: string | null,
    ) {
      return records.connection(ctx, args, info, asOf)
    }

    @Query(() => [entity], {
      name: `${prefix}ListDeleted`,
      description: `Deleted ${pluralOf(one)}, most recently deleted first.`,
    })
    readDeleted(
      @Args(() => DeletedPageArgs) args: DeletedPageArgs,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      return records.deleted(ctx, args, info)
    }

    @Query(() => stats.type, { name: `${prefix}Stats` })
    readStats(@StatsFilterArg(definition, types.Filter) filter: FilterInput | null, @Ctx() ctx: RequestContext) {
      return stats.read(ctx, withoutUnused(filter ?? null))
    }

    @Query(() => Aggregate, { name: `${prefix}Aggregate`, description: aggregateDescription(pluralOf(one)) })
    @RequiresScopes(scopeOf('READ', scope))
    aggregate(
      @Args(() => types.AggregateArgs) args: AggregateArgs,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      return readAggregate(ctx, definition, args, info)
    }

    @Mutation(() => entity, { name: `${prefix}Create` })
    @RequiresScope(scope)
    createOne(@InputArg(() => types.CreateInput) input: object, @Ctx() ctx: RequestContext) {
      return records.create(ctx, input)
    }

    @Mutation(() => entity, { name: `${prefix}Update` })
    @RequiresScope(scope)
    updateOne(
      @IdArg() id: string,
      @InputArg(() => types.UpdateInput) input: object,
      @ExpectedVersionArg() expectedVersion: number | null,
      @Ctx() ctx: RequestContext,
    ) {
      return records.update(ctx, id, input, expectedVersion)
    }

    @Mutation(() => ID, {
      name: `${prefix}Delete`,
      description: `Deletes ${withArticle(one)}. It can be restored; until then only \`${prefix}ListDeleted\` returns it.`,
    })
    @RequiresScope(scope)
    removeOne(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
      return records.remove(ctx, id, expectedVersion)
    }

    @Mutation(() => entity, {
      name: `${prefix}Restore`,
      ...(restoreDescription && { description: restoreDescription }),
    })
    @RequiresScope(scope)
    restoreOne(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
      return records.restore(ctx, id, expectedVersion)
    }
  }
  return StandardResolver
}
