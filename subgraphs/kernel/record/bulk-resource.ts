import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql'
import type { RequestContext } from '../request.ts'
import type { Resource } from '../subgraph/subgraph.ts'
import { BulkResult } from './bulk-result.ts'
import type { RecordDefinition, StoredRow } from './definition.ts'
import { pluralOf, wordsOf } from './describe.ts'
import { bulkItemOf } from './inputs.ts'
import { registerLoadable } from './loadable-records.ts'
import { recordsOf, type RecordActions } from './records-of.ts'
import { RequiresScope } from './requires-scope.ts'

const independently = 'Each item succeeds or fails independently.'

/** The mutations that change and delete many records of a type, `<type>BulkUpdate` and `<type>BulkDelete`. Bulk jobs write the type, too. */
export function bulkResource<T extends StoredRow>(
  definition: RecordDefinition<T>,
  scope: string,
  actions: RecordActions<T> = {},
): Resource {
  registerLoadable(definition, scope, actions)
  const records = recordsOf(definition, actions)
  const { name } = definition.entity
  const [one, prefix] = [wordsOf(name), name.charAt(0).toLowerCase() + name.slice(1)]
  const many = pluralOf(one)
  const Item = bulkItemOf(`${name}BulkUpdateItem`, definition.entity)

  @Resolver()
  class BulkResolver {
    @Mutation(() => BulkResult, {
      name: `${prefix}BulkUpdate`,
      description: `Changes 1 to 500 ${many}. ${independently}`,
    })
    @RequiresScope(scope)
    bulkUpdate(
      @Arg('items', () => [Item], { description: `The changes, 1 to 500, each with the id of its ${one}.` })
      items: InstanceType<typeof Item>[],
      @Ctx() ctx: RequestContext,
    ) {
      return records.bulkUpdate(ctx, items)
    }

    @Mutation(() => BulkResult, {
      name: `${prefix}BulkDelete`,
      description: `Deletes 1 to 500 ${many}. ${independently}`,
    })
    @RequiresScope(scope)
    bulkDelete(
      @Arg('ids', () => [ID], { description: `Ids of the ${many}, 1 to 500.` }) ids: string[],
      @Ctx() ctx: RequestContext,
    ) {
      return records.bulkRemove(ctx, ids)
    }
  }
  return { resolver: BulkResolver }
}
