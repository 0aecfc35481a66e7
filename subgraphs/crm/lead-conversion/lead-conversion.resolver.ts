import { Arg, Ctx, Mutation, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg } from '../../kernel/record/args.ts'
import { RequiresAllScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { LeadConversion, LeadConvertInput } from './conversion.ts'
import { convertLead } from './convert-lead.ts'

@Resolver()
export class LeadConversionResolver {
  @Mutation(() => LeadConversion, {
    description:
      'Converts a lead to an account, a contact and usually an opportunity, in one transaction. Existing records are found by the email address, the domain and the name of the company; only their empty fields are filled. A lead that is converted already is refused with INVALID_STATE and the ids of its account, contact and opportunity.',
  })
  @RequiresAllScopes('WRITE_ACCOUNTS', 'WRITE_CONTACTS', 'WRITE_LEADS', 'WRITE_OPPORTUNITIES')
  leadConvert(
    @IdArg() id: string,
    @Arg('input', () => LeadConvertInput, { description: 'How to convert the lead.' }) input: LeadConvertInput,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext<'vault'>,
  ) {
    return convertLead(ctx, id, input, expectedVersion)
  }
}

export const leadConversionResource: Resource = { resolver: LeadConversionResolver }
