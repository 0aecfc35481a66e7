import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { Class } from '../../kernel/record/declared-class.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import { pluralOf, wordsOf } from '../../kernel/record/describe.ts'
import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { readReference } from '../../kernel/record/read.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { OperationTypes } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { CustomRecord } from '../edges/custom-record.ts'
import { linkedRecords, type LinkedRecord } from './linked-records.ts'
import type { RelatedRecord } from './related-record.ts'
import { linkedTypes, links, type Link } from './related-types.ts'
import { relatedToOf } from './related-to.ts'
import { visibleStub } from './visible-stub.ts'

// type-graphql finds the resolver of a field by the name of the method, so each edge of a type must have another one.

/** The edges of tasks or activities to the records that they concern, and back: `Task.account` and `Account.tasks`. */
export const linkEdges = <T extends RelatedRecord>(
  definition: RecordDefinition<T>,
  types: OperationTypes,
): Resource[] => [
  { resolver: relatedToOf(definition) },
  customRecordEdge(definition, types),
  ...links.flatMap((link) => {
    const linked = linkedRecords[link]
    return linked ? [{ resolver: edgeToOne(definition, link, linked) }, edgeBack(definition, types, link, linked)] : []
  }),
]

function customRecordEdge<T extends RelatedRecord>(definition: RecordDefinition<T>, types: OperationTypes): Resource {
  const many = pluralOf(wordsOf(definition.entity.name))
  return edgeToMany(CustomRecord, many, {
    records: definition,
    types,
    by: 'relatedToId',
    nullable: true,
    description: `Live ${many} that are related to the record and that the caller sees, newest first by default; null while they cannot be read.`,
  })
}

function edgeToOne<T extends RelatedRecord>(definition: RecordDefinition<T>, link: Link, linked: LinkedRecord): Class {
  const object = linkedTypes[link]
  const one = wordsOf(definition.entity.name)

  @Resolver(() => definition.entity)
  class LinkedResolver {
    @FieldResolver(() => linked.type, {
      nullable: true,
      description: `The ${object} that the ${one} concerns; null if there is none or the caller does not see it.`,
    })
    [object](@Root() root: T, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
      const id = root[link]
      if (!linked.definition) return visibleStub(ctx, object, id)
      return id === null || id === undefined ? null : readReference(ctx, linked.definition, id, selectedFields(info))
    }
  }
  return LinkedResolver
}

function edgeBack<T extends RelatedRecord>(
  definition: RecordDefinition<T>,
  types: OperationTypes,
  link: Link,
  linked: LinkedRecord,
): Resource {
  const many = pluralOf(wordsOf(definition.entity.name))
  const unavailable = linked.definition ? '' : '; null while they cannot be read'
  return edgeToMany(linked.type, many, {
    records: definition,
    types,
    by: link,
    nullable: !linked.definition,
    description: `Live ${many} that concern the ${linkedTypes[link]} and that the caller sees, newest first by default${unavailable}.`,
  })
}
