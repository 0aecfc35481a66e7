import { Args, Ctx, Info, Query, Resolver } from 'type-graphql'
import type { RequestContext } from '../../request.ts'
import { requireAdministrator } from '../../require.ts'
import type { Resource } from '../../subgraph/subgraph.ts'
import type { Class } from '../declared-class.ts'
import type { RecordShape } from '../definition.ts'
import { pluralOf, wordsOf } from '../describe.ts'
import { withCondition, type FilterInput } from '../filter-input.ts'
import { filterOf } from '../inputs.ts'
import { RequiresScopes } from '../requires-scope.ts'
import { restFilters, type RestFilter } from '../rest-area.ts'
import type { SelectionInfo } from '../selection.ts'
import { aggregateArgs } from './aggregate-args.ts'
import { Aggregate, aggregateDescription, type AggregateArgs } from './aggregate-types.ts'
import { readAggregate } from './read-aggregate.ts'

interface AggregateOptions {
  /** The arguments of `operationTypes`, if it declares the types of the record type. */
  readonly args?: Class
  /** The filter of the list. Default: one of all columns. */
  readonly filter?: Class
  /** Whether only owners and admins may read the list. */
  readonly isForAdministrators?: boolean
  /** What the description says in addition. */
  readonly rule?: string
  /** The context in which the list is read, if it is not that of the caller. */
  readonly within?: (ctx: RequestContext) => RequestContext
  /** The condition of every record in the list. */
  readonly condition?: FilterInput
  /** The REST path, where the record type has no REST area; the area has the path already. */
  readonly path?: string
  /** The records in words. Default: the end of the path. */
  readonly many?: string
  /** The folder under `schema/rest/`. Default: the first part of the path. */
  readonly folder?: string
  readonly filters?: readonly (string | RestFilter)[]
}

const administrators = { roles: ['OWNER', 'ADMIN'], rule: 'For owners and admins.' } as const

/**
 * `<type>Aggregate` of a record type whose resolver does not extend `standardResolver`: figures over the records that its list has, for whom
 * the list may read.
 */
export function aggregateResource(definition: RecordShape, scope: string, options: AggregateOptions = {}): Resource {
  const {
    args,
    filter: filterType,
    isForAdministrators,
    rule,
    within,
    condition,
    path,
    many,
    folder,
    filters = [],
  } = options
  const { entity } = definition
  const { name } = entity as { name: string }
  const prefix = name.charAt(0).toLowerCase() + name.slice(1)
  const allColumns = () =>
    filterOf(`${name}Filter`, entity as new () => object, definition.relations, definition.columns.shown)
  const argsType = args ?? aggregateArgs(definition, filterType ?? allColumns())
  const sentences = [aggregateDescription(pluralOf(wordsOf(name))), rule, isForAdministrators && administrators.rule]
  const description = sentences.filter(Boolean).join(' ')

  @Resolver()
  class AggregateResolver {
    @Query(() => Aggregate, { name: `${prefix}Aggregate`, description })
    @RequiresScopes(scope)
    aggregate(@Args(() => argsType) given: AggregateArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
      if (isForAdministrators) requireAdministrator(ctx)
      const wanted = (given.filter ?? null) as FilterInput | null
      const filter = condition ? withCondition(wanted, condition) : wanted
      return readAggregate(within?.(ctx) ?? ctx, definition, { ...given, filter }, info)
    }
  }
  return {
    resolver: AggregateResolver,
    ...(path !== undefined && {
      aggregate: {
        definition,
        path,
        folder: folder ?? path.split('/')[0]!,
        filters: restFilters(definition, filters),
        derivedFields: [],
        within: null,
        createsWith: null,
        ...(many !== undefined && { many }),
        ...(isForAdministrators && { roles: administrators.roles }),
      },
    }),
  }
}
