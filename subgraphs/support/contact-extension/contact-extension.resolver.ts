import { Args, Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { caseTypes } from '../case/case.inputs.ts'
import { supportCase } from '../case/case.record.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'

const cases = recordsOf(supportCase)

/** Fields that this subgraph adds to the entity `Contact`. */
@ObjectType('Contact')
@Directive('@key(fields: "id")')
export class ContactExtension {
  @Field(() => ID, { description: 'Id of the contact.' })
  id!: string
}

@Resolver(() => ContactExtension)
export class ContactExtensionResolver {
  // The field is nullable, so that contacts can be read while this subgraph is unavailable.
  @FieldResolver(() => caseTypes.Connection, {
    nullable: true,
    description: 'Live cases of the contact that the caller sees; null while they cannot be read.',
  })
  cases(
    @Root() root: ContactExtension,
    @Args(() => caseTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return cases.children(ctx, 'contactId', root.id, args, info)
  }
}

export const contactExtensionResource: Resource = { resolver: ContactExtensionResolver, types: [ContactExtension] }
