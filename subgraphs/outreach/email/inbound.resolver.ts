import { Arg, Ctx, Mutation, Resolver } from 'type-graphql'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { receiveInbound, receiveStatus } from './inbound.actions.ts'
import { EmailInboundInput, EmailStatusInput, EmailWebhookResult } from './inbound.inputs.ts'

@Resolver()
export class InboundResolver {
  @Mutation(() => EmailWebhookResult, {
    description:
      'Applies what a mail service reports about a sent mail. Its status never moves backwards, and opens of programs count apart.',
  })
  @RequiresScope('EMAILS')
  emailStatusReceive(
    @Arg('input', () => EmailStatusInput, { description: 'The report.' }) input: EmailStatusInput,
    @Ctx() ctx: RequestContext,
  ) {
    return receiveStatus(ctx, input)
  }

  @Mutation(() => EmailWebhookResult, {
    description:
      'Stores a mail that a mail service received, in the thread that it answers or in a new one. A mail with a known Message-ID is stored only once.',
  })
  @RequiresScope('EMAILS')
  emailInboundReceive(
    @Arg('input', () => EmailInboundInput, { description: 'The mail.' }) input: EmailInboundInput,
    @Ctx() ctx: RequestContext<'work'>,
  ) {
    return receiveInbound(ctx, input)
  }
}

export const inboundResource: Resource = { resolver: InboundResolver }
