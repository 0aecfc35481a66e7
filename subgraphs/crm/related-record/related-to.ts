import { createUnionType, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { Class } from '../../kernel/record/declared-class.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import { wordsOf } from '../../kernel/record/describe.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import { readReference } from '../../kernel/record/read.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { CustomRecord } from '../edges/custom-record.ts'
import { Order } from '../edges/order-edges.ts'
import { Quote } from '../edges/quote-edges.ts'
import { linkedRecords, type LinkedRecord } from './linked-records.ts'
import type { RelatedRecord } from './related-record.ts'
import { relatedShape, relatedTypeOf } from './related-types.ts'
import { visibleStub } from './visible-stub.ts'

type Graphed = Pick<LinkedRecord, 'type' | 'definition' | 'name'>

/** Related records that no column of their own names. */
const others: Readonly<Record<string, Graphed>> = {
  quote: { type: Quote, definition: null, name: 'Quote' },
  order: { type: Order, definition: null, name: 'Order' },
}

const RelatedTo = createUnionType({
  name: 'RelatedTo',
  description:
    'The record to which a task or an activity is related. A selection of it needs the READ scopes of all types of the union; `relatedToType` and `relatedToId` need none of them.',
  types: () => [...Object.values(linkedRecords), ...Object.values(others)].map(({ type }) => type) as never,
})

function graphedOf(relatedToType: string | null): (Graphed & { readonly object: string }) | null {
  const related = relatedToType === null ? null : relatedTypeOf(relatedToType)
  if (!related) return null
  const graphed = related.link ? linkedRecords[related.link] : others[related.object]
  return graphed ? { ...graphed, object: related.object } : null
}

/** The edge `relatedTo` of tasks or activities. */
export function relatedToOf<T extends RelatedRecord>({ entity }: RecordDefinition<T>): Class {
  @Resolver(() => entity)
  class RelatedToResolver {
    @FieldResolver(() => RelatedTo, {
      nullable: true,
      description: `The record to which the ${wordsOf(entity.name)} is related; null if there is none or the caller does not see it, for invoices, and for records of custom objects: see relatedCustomRecord.`,
    })
    async relatedTo(@Root() root: T, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
      const { relatedToType, relatedToId } = root
      const graphed = graphedOf(relatedToType)
      if (!graphed || relatedToId === null) return null
      const { definition, object, name } = graphed
      const row = definition
        ? await readReference(ctx, definition, relatedToId, selectedFields(info))
        : await visibleStub(ctx, object, relatedToId)
      return row && { ...row, __typename: name }
    }

    @FieldResolver(() => CustomRecord, {
      nullable: true,
      description: `The record of a custom object to which the ${wordsOf(entity.name)} is related; null if it is related to none, or the caller does not see it.`,
    })
    relatedCustomRecord(@Root() { relatedToType, relatedToId }: T, @Ctx() ctx: RequestContext) {
      const isCustom = relatedToType !== null && customObjectName(relatedToType) !== null
      return isCustom && relatedShape(ctx, relatedToType) ? visibleStub(ctx, relatedToType, relatedToId) : null
    }
  }
  return RelatedToResolver
}
