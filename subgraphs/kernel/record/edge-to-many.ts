import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { RequestContext } from '../request.ts'
import type { Resource } from '../subgraph/subgraph.ts'
import type { Class } from './declared-class.ts'
import type { ColumnName, RecordDefinition, StoredRow } from './definition.ts'
import type { ConnectionArgs } from './list.ts'
import { recordsOf } from './records-of.ts'
import type { SelectionInfo } from './selection.ts'
import type { OperationTypes } from './standard-resolver.ts'

export interface EdgeToMany<T extends StoredRow> {
  readonly records: RecordDefinition<T>
  readonly types: Pick<OperationTypes, 'Connection' | 'ConnectionArgs'>
  /** The column of the records that has the id of the record at which the edge begins. */
  readonly by: ColumnName<T>
  /** Whether the record can be read while the others cannot. */
  readonly nullable?: boolean
  readonly description: string
}

/** The edge from a record to those that refer to it: `Account.contacts`. The records of all parents in an operation are read together. */
export function edgeToMany<T extends StoredRow>(
  type: Class<{ id: string }>,
  name: string,
  { records: definition, types, by, nullable = false, description }: EdgeToMany<T>,
): Resource {
  const records = recordsOf(definition)

  // type-graphql finds the resolver of a field by the name of the method.
  @Resolver(() => type)
  class EdgeToManyResolver {
    @FieldResolver(() => types.Connection, { nullable, description })
    [name](
      @Root() root: { readonly id: string },
      @Args(() => types.ConnectionArgs) args: ConnectionArgs,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      return records.children(ctx, by, root.id, args, info)
    }
  }
  return { resolver: EdgeToManyResolver, types: [type] }
}
