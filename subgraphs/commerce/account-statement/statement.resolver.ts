import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { IdArg } from '../../kernel/record/args.ts'
import { ValueArg, type ValueOptions } from '../../kernel/record/declared-value.ts'
import { limitReads } from '../../kernel/record/limit-reads.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresAllScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { DocumentFile } from '../document/document-file.ts'
import { Account } from '../edges/account-edges.ts'
import { readStatement } from './read-statement.ts'
import { statementFile } from './statement.document.ts'
import { AccountStatement, entriesMax } from './statement.types.ts'

/** Accounts of one request whose statements can be read. */
const accountsMax = 20

const from: ValueOptions = {
  nullable: true,
  description: 'First day; a time of day is cut off. Null: the first day of the month of `to`.',
  example: '2026-11-01T00:00:00Z',
}
const to: ValueOptions = {
  nullable: true,
  description:
    'Last day, not in the future; a time of day is cut off. Null: today in the time zone of the organization.',
  example: '2026-11-30T00:00:00Z',
}
const currency: ValueOptions = {
  nullable: true,
  max: 3,
  description: 'ISO 4217 code of the currency; null: the base currency of the organization.',
  example: 'EUR',
}
const From = () => ValueArg('from', () => DateTime, from)
const To = () => ValueArg('to', () => DateTime, to)
const Currency = () => ValueArg('currency', () => String, currency)
type Given = string | null | undefined

const what = `What a customer owed in one currency at the beginning and at the end of a period, and the invoices, payments and refunds in between. A period with more than ${entriesMax} entries is refused.`

@Resolver(() => Account)
class AccountStatementResolver {
  @Query(() => AccountStatement, { description: what })
  @RequiresAllScopes('READ_INVOICES', 'READ_ACCOUNTS')
  accountStatement(
    @IdArg() id: string,
    @From() first: Given,
    @To() last: Given,
    @Currency() code: Given,
    @Ctx() ctx: RequestContext,
  ) {
    return readStatement(ctx, id, { from: first, to: last, currency: code })
  }

  @Query(() => DocumentFile, {
    description:
      'Returns the PDF of the statement of a customer. A caller whose profile hides something that it shows is refused.',
  })
  @RequiresAllScopes('READ_INVOICES', 'READ_ACCOUNTS')
  accountStatementDocument(
    @IdArg() id: string,
    @From() first: Given,
    @To() last: Given,
    @Currency() code: Given,
    @Ctx() ctx: RequestContext<'work'>,
  ) {
    return statementFile(ctx, id, { from: first, to: last, currency: code })
  }

  @FieldResolver(() => AccountStatement, {
    nullable: true,
    description: `${what} Null while it cannot be read. At most ${accountsMax} accounts of one request can be read with their statements.`,
  })
  statement(
    @Root() { id }: { readonly id: string },
    @From() first: Given,
    @To() last: Given,
    @Currency() code: Given,
    @Ctx() ctx: RequestContext,
  ) {
    limitReads(ctx, 'statement', accountsMax, `At most ${accountsMax} accounts of one request can be read with it.`)
    return readStatement(ctx, id, { from: first, to: last, currency: code })
  }
}

export const accountStatementResource: Resource = {
  resolver: AccountStatementResolver,
  operations: [
    operation('GET /v1/accounts/{id}/statement', 'accountStatement', {
      folder: 'invoices',
      summary: 'Read the statement of a customer',
      answers: 'The statement.',
    }),
  ],
}
