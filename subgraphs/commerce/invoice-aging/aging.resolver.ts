import { Args, Ctx, Query, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { invoiceAging } from './aging.ts'
import { InvoiceAging, InvoiceAgingArgs } from './aging.types.ts'

@Resolver()
export class InvoiceAgingResolver {
  @Query(() => InvoiceAging, {
    description:
      'What customers owed at the end of a day, of the invoices that the caller sees, by the days since the due day.',
  })
  @RequiresScopes('READ_INVOICES')
  invoiceAging(@Args(() => InvoiceAgingArgs) args: InvoiceAgingArgs, @Ctx() ctx: RequestContext) {
    return invoiceAging(ctx, args)
  }
}

export const invoiceAgingResource: Resource = { resolver: InvoiceAgingResolver }
