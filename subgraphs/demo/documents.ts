import { Readable } from 'node:stream'
import { insertDocument } from '../assistant/document/document.actions.ts'
import type { Services } from '../kernel/request.ts'
import type { GeneratorInput } from './organization.ts'

const bytesMax = 10_000

const agreement = (organization: string, customer: string): string => `# Framework agreement

Between ${organization} and ${customer}.

## Delivery

Orders are delivered within five working days. Damaged goods are replaced.

## Payment

Invoices are due 30 days after they were sent.

## Term

The agreement is valid for one year and is renewed by another year, unless a party ends it. The notice period is ninety days.
`

interface Customer {
  readonly [column: string]: unknown
  readonly id: string
  readonly name: string
  readonly ownerId: string
}

/** A contract with the largest customer, after the other data was committed: files are written outside of transactions. A worker reads its text. */
export async function loadContract({ database, files, clock }: Services, input: GeneratorInput): Promise<void> {
  const { organizationId, profile } = input
  const [customer] = await database.query<Customer>(
    `select id, name, owner_id as "ownerId" from crm.account
     where organization_id = $1 and type = 'CUSTOMER' and deleted_at is null order by annual_revenue desc nulls last, id limit 1`,
    [organizationId],
  )
  if (!customer) return
  const content = Buffer.from(agreement(profile.name, customer.name))
  const written = await files.write(Readable.from([content]), { organizationId, bytesMax, announced: content.length })
  const caller = { organizationId, userId: customer.ownerId }
  const document = {
    name: 'Framework agreement.md',
    format: 'MARKDOWN',
    category: 'CONTRACT',
    recordType: 'ACCOUNT',
    recordId: customer.id,
  } as const
  await database.transaction((db) => insertDocument({ db, clock, caller }, document, written))
}
