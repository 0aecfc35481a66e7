import { Ctx, Directive, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { RequestContext } from '../request.ts'
import type { Resource } from '../subgraph/subgraph.ts'
import { classNamed, field, type Class } from './declared-class.ts'
import type { RecordShape } from './definition.ts'
import { wordsOf } from './describe.ts'
import { readReference } from './read.ts'
import { selectedFields, type SelectionInfo } from './selection.ts'

/**
 * A record type of another subgraph, to which this one adds edges with `edgeToMany` and `edgeToReferenced`. `references` are fields of the
 * other subgraph with ids of records of this one, with their descriptions.
 */
export function extendedEntity(name: string, references: Readonly<Record<string, string>> = {}): Class<{ id: string }> {
  const type = classNamed(name) as Class<{ id: string }>
  ObjectType(name)(type)
  Directive('@key(fields: "id")')(type)
  field(type, 'id', () => ID, { description: `Id of the ${wordsOf(name)}.` })
  for (const [column, description] of Object.entries(references)) {
    field(type, column, () => ID, { nullable: true, description })
    Directive('@external')(type.prototype as object, column)
  }
  return type
}

/** The edge from a record of another subgraph to the one that its field `by` names. It is read here, so its visibility rules apply. */
export function edgeToReferenced(
  type: Class<{ id: string }>,
  name: string,
  { record, by, description }: { readonly record: RecordShape; readonly by: string; readonly description: string },
): Resource {
  @Resolver(() => type)
  class EdgeToReferencedResolver {
    @FieldResolver(() => record.entity as Class, { nullable: true, description })
    @Directive(`@requires(fields: "${by}")`)
    [name](
      @Root() root: Readonly<Record<string, string | null>>,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      const id = root[by]
      return id ? readReference(ctx, record, id, selectedFields(info)) : null
    }
  }
  return { resolver: EdgeToReferencedResolver, types: [type] }
}
