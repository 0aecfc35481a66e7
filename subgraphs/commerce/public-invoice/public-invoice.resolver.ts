import { Arg, Ctx, Mutation, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { DocumentFile } from '../document/document-file.ts'
import { checkoutSettle } from './checkout-settle.job.ts'
import { checkoutsPerDay } from './open-checkout.ts'
import {
  payPublicInvoice,
  publicInvoiceDocument,
  returnToPublicInvoice,
  settlePaymentEvent,
  viewPublicInvoice,
} from './public-invoice.actions.ts'
import { checkoutReuse, checkoutTable } from './public-invoice.migrations.ts'
import { PublicCheckout, PublicInvoice } from './public-invoice.ts'

const TokenArg = () => Arg('token', () => String, { description: 'The secret in the address of the page.' })

/** What the public page of an invoice does; see `gateway/public-invoices`. */
@Resolver()
export class PublicInvoiceResolver {
  @Mutation(() => PublicInvoice, {
    description: 'Returns the invoice of a public page, and remembers when it was first opened.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicInvoiceView(@TokenArg() token: string, @Ctx() ctx: RequestContext<'outbound' | 'work'>) {
    return viewPublicInvoice(ctx, token)
  }

  @Mutation(() => DocumentFile, {
    description: 'Returns the PDF of the invoice of a public page. This counts as opening the invoice.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicInvoiceDocument(@TokenArg() token: string, @Ctx() ctx: RequestContext<'outbound' | 'work'>) {
    return publicInvoiceDocument(ctx, token)
  }

  @Mutation(() => PublicCheckout, {
    description: `Returns a page of the payment provider over \`onlineAmount\`: the one of this amount that is open already, or a new one. An invoice that cannot be paid online, the ${checkoutsPerDay + 1}st page in 24 hours, and an installation without a provider are refused with INVALID_STATE.`,
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicInvoicePay(@TokenArg() token: string, @Ctx() ctx: RequestContext<'outbound' | 'work'>) {
    return payPublicInvoice(ctx, token)
  }

  @Mutation(() => PublicInvoice, {
    description:
      'Asks the payment provider about a checkout of the invoice, and records its payment once if it was paid. Returns the invoice.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicInvoiceSettle(
    @TokenArg() token: string,
    @Arg('session', () => String, { description: 'Id of the checkout at the provider.' }) session: string,
    @Ctx() ctx: RequestContext<'outbound' | 'work'>,
  ) {
    return returnToPublicInvoice(ctx, token, session)
  }

  @Mutation(() => Boolean, {
    description:
      'As publicInvoiceSettle, for a webhook request of the payment provider; also in a suspended organization. False if the checkout is unknown.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicPaymentSettle(
    @TokenArg() token: string,
    @Arg('session', () => String, { description: 'Id of the checkout at the provider.' }) session: string,
    @Ctx() ctx: RequestContext<'outbound' | 'work'>,
  ) {
    return settlePaymentEvent(ctx, token, session)
  }
}

export const publicInvoiceResource: Resource = {
  resolver: PublicInvoiceResolver,
  migrations: [checkoutTable, checkoutReuse],
  jobs: [checkoutSettle],
  crossTenantFields: [
    'publicInvoiceView',
    'publicInvoiceDocument',
    'publicInvoicePay',
    'publicInvoiceSettle',
    'publicPaymentSettle',
  ],
}
