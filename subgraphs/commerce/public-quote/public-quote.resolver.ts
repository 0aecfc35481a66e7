import { Arg, Ctx, Mutation, Resolver } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { acceptQuote, rejectQuote, viewQuote } from '../quote/answer-quote.ts'
import { DocumentFile } from '../document/document-file.ts'
import { personMax, reasonMax } from '../quote/quote-decision.ts'
import { publicQuote, publicQuoteDocument, typedText } from './public-quote.actions.ts'
import { PublicQuote } from './public-quote.ts'

const TokenArg = () => Arg('token', () => String, { description: 'The secret in the link of the mail.' })

/** What the public page of a quote does; see `gateway/public-quotes`. */
@Resolver()
export class PublicQuoteResolver {
  @Mutation(() => PublicQuote, {
    description: 'Returns the quote of a mailed link, and remembers when it was first opened.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicQuoteView(@TokenArg() token: string, @Ctx() ctx: RequestContext) {
    return publicQuote(ctx, token, viewQuote)
  }

  @Mutation(() => DocumentFile, {
    description: 'Returns the PDF of the quote of a mailed link. This counts as opening the quote.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicQuoteDocument(@TokenArg() token: string, @Ctx() ctx: RequestContext<'work'>) {
    return publicQuoteDocument(ctx, token)
  }

  @Mutation(() => PublicQuote, {
    description:
      'Accepts the quote of a mailed link if it is SENT and has not expired. Otherwise, and for a second call, it changes nothing and returns the quote.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicQuoteAccept(
    @TokenArg() token: string,
    @Arg('name', () => String, {
      description: `Name of the person who accepts, 1 to ${personMax} characters.`,
    })
    name: string,
    @Arg('consent', () => Boolean, { description: 'Must be true: the person agrees to the quote and its terms.' })
    consent: boolean,
    @Ctx() ctx: RequestContext,
  ) {
    const acceptedByName = typedText('name', name, personMax)
    if (acceptedByName === '') throw invalid({ path: 'name', code: 'EMPTY', message: 'name must not be empty.' })
    if (!consent) throw invalid({ path: 'consent', code: 'REQUIRED', message: 'consent must be true.' })
    return publicQuote(ctx, token, (inner, id) => acceptQuote(inner, id, acceptedByName))
  }

  @Mutation(() => PublicQuote, {
    description:
      'Rejects the quote of a mailed link if it is SENT and has not expired. Otherwise, and for a second call, it changes nothing and returns the quote.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicQuoteReject(
    @TokenArg() token: string,
    @Arg('reason', () => String, {
      nullable: true,
      description: `Why, at most ${reasonMax} characters; null for no reason.`,
    })
    reason: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    const text = typedText('reason', reason ?? '', reasonMax)
    return publicQuote(ctx, token, (inner, id) => rejectQuote(inner, id, text === '' ? null : text))
  }
}

export const publicQuoteResource: Resource = {
  resolver: PublicQuoteResolver,
  crossTenantFields: ['publicQuoteView', 'publicQuoteDocument', 'publicQuoteAccept', 'publicQuoteReject'],
}
