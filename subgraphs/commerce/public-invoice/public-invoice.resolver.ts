import { Arg, Ctx, Mutation, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { DocumentFile } from '../document/document-file.ts'
import { openCheckout, publicInvoiceDocument, settleCheckout, viewPublicInvoice } from './public-invoice.actions.ts'
import { checkoutTable } from './public-invoice.migrations.ts'
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
    description:
      'Opens a page of the payment provider over what is due with fees and interest of reminders. An invoice that cannot be paid, and an installation without a provider, are refused with INVALID_STATE.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicInvoicePay(@TokenArg() token: string, @Ctx() ctx: RequestContext<'outbound' | 'work'>) {
    return openCheckout(ctx, token)
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
    return settleCheckout(ctx, token, session)
  }
}

export const publicInvoiceResource: Resource = {
  resolver: PublicInvoiceResolver,
  migrations: [checkoutTable],
  crossTenantFields: ['publicInvoiceView', 'publicInvoiceDocument', 'publicInvoicePay', 'publicInvoiceSettle'],
}
