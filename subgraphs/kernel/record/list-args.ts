import { ArgsType, Field, Int } from 'type-graphql'
import type { OrderInput } from './order.ts'
import type { FilterInput } from './filter-input.ts'
import { DateTime } from './scalars.ts'

type Class<T> = new () => T

interface FilterArgs {
  filter?: FilterInput | null
  search?: string | null
  orderBy?: OrderInput[] | null
}

function argsOf(filter: Class<object>, order: Class<object>): Class<FilterArgs> {
  class Args {}
  Field(() => filter, { nullable: true, description: 'Conditions; null: all records that the caller sees.' })(
    Args.prototype,
    'filter',
  )
  Field(() => String, {
    nullable: true,
    description:
      'Text that one of the searchable fields must contain. One or two ASCII letters or digits find words that begin with them. `%` and `_` are ordinary characters.',
  })(Args.prototype, 'search')
  Field(() => [order], {
    nullable: true,
    description:
      'Sort order. Records with equal values are sorted by `createdAt`, then by `id`, so that pages neither repeat nor skip a record. One field is sorted through an index; several fields, and custom fields, sort all matching records.',
  })(Args.prototype, 'orderBy')
  return Args as Class<FilterArgs>
}

const pageDescription = 'Number of the page, from 1. Ignored when `cursor` is given.'

/** Arguments of a paged list: page and limit, or cursor and limit. */
export function pageArgs(
  filter: Class<object>,
  order: Class<object>,
): Class<FilterArgs & { page: number; limit: number; cursor?: string | null }> {
  const args = argsOf(filter, order)
  Field(() => Int, { defaultValue: 1, description: pageDescription } as never)(args.prototype as object, 'page')
  Field(() => Int, { defaultValue: 20, description: 'Records per page, 1 to 100.' } as never)(
    args.prototype as object,
    'limit',
  )
  Field(() => String, { nullable: true, description: '`nextCursor` of the previous page; replaces `page`.' })(
    args.prototype as object,
    'cursor',
  )
  ArgsType()(args)
  return args as never
}

/** Arguments of a keyset connection. */
export function connectionArgs(
  filter: Class<object>,
  order: Class<object>,
): Class<FilterArgs & { first: number; after?: string | null }> {
  const args = argsOf(filter, order)
  Field(() => Int, { defaultValue: 20, description: 'Number of records, 1 to 100.' } as never)(
    args.prototype as object,
    'first',
  )
  Field(() => String, { nullable: true, description: 'Cursor of the last record of the previous page.' })(
    args.prototype as object,
    'after',
  )
  ArgsType()(args)
  return args as never
}

/** Arguments of a paged list that has no filter and a fixed order. */
@ArgsType()
export class UnfilteredPageArgs {
  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, from 1.' })
  page!: number

  @Field(() => Int, { defaultValue: 100, description: 'Records per page, 1 to 100.' })
  limit!: number
}

/** Arguments of a list of deleted records. */
@ArgsType()
export class DeletedPageArgs extends UnfilteredPageArgs {
  @Field(() => DateTime, {
    nullable: true,
    description:
      'Only records that were deleted after this time; null: all. A deletion appears when it is committed, so ask from a little before the last time.',
  })
  deletedAfter!: string | null
}
