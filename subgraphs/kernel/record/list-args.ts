import { ArgsType, Field, Int } from 'type-graphql'
import type { OrderInput } from './order.ts'
import type { FilterInput } from './filter.ts'

type Class<T> = new () => T

interface Narrowing {
  filter?: FilterInput | null
  search?: string | null
  orderBy?: OrderInput[] | null
}

function argsOf(filter: Class<object>, order: Class<object>): Class<Narrowing> {
  class Args {}
  Field(() => filter, { nullable: true })(Args.prototype, 'filter')
  Field(() => String, {
    nullable: true,
    description: 'Text that one of the searchable fields contains; % and _ mean themselves.',
  })(Args.prototype, 'search')
  Field(() => [order], {
    nullable: true,
    description: 'Ends in `id` by itself, so that pages neither repeat nor lose a row.',
  })(Args.prototype, 'orderBy')
  return Args as Class<Narrowing>
}

/** Arguments of a list in pages: page and limit, or a cursor. */
export function pageArgs(
  filter: Class<object>,
  order: Class<object>,
): Class<Narrowing & { page: number; limit: number; cursor?: string | null }> {
  const args = argsOf(filter, order)
  Field(() => Int, { defaultValue: 1 } as never)(args.prototype as object, 'page')
  Field(() => Int, { defaultValue: 20, description: '1 to 100.' } as never)(args.prototype as object, 'limit')
  Field(() => String, { nullable: true, description: '`nextCursor` of the page before; stands instead of `page`.' })(
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
): Class<Narrowing & { first: number; after?: string | null }> {
  const args = argsOf(filter, order)
  Field(() => Int, { defaultValue: 20, description: '1 to 100.' } as never)(args.prototype as object, 'first')
  Field(() => String, { nullable: true })(args.prototype as object, 'after')
  ArgsType()(args)
  return args as never
}

/** Arguments of a list that has neither filter nor order. */
@ArgsType()
export class PartArgs {
  @Field(() => Int, { defaultValue: 1 })
  page!: number

  @Field(() => Int, { defaultValue: 100, description: '1 to 100.' })
  limit!: number
}
