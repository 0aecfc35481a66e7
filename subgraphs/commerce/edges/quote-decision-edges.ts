import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import { seesContact } from '../../crm/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { QuoteDecision } from '../quote/quote-decision.ts'
import { Contact } from './contact-edges.ts'

@Resolver(() => QuoteDecision)
class QuoteDecisionResolver {
  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The contact who decided; null if it was not recorded or the caller does not see the contact.',
  })
  async contact(
    @Root() { contactId }: Pick<QuoteDecision, 'contactId'>,
    @Ctx() ctx: RequestContext,
  ): Promise<{ id: string } | null> {
    return contactId !== null && (await seesContact(ctx, contactId)) ? { id: contactId } : null
  }
}

/** The edge from the decision of a customer to the contact who decided. */
export const quoteDecisionEdges: Resource = { resolver: QuoteDecisionResolver }
