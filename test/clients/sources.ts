const orvalUse = `
import { accountCreate, accountList, type Account } from './fetch.js'

export async function firstName(): Promise<string | undefined> {
  const answer = await accountList({ sortOrder: 'asc', limit: 1 })
  if (answer.status !== 200) throw new Error(answer.data.detail)
  const first: Account | undefined = answer.data.data[0]
  return first?.name
}
export const create = () => accountCreate({ name: 'x', type: 'CUSTOMER' })
`

/** What a client developer writes on top of generated code, by file name. It is compiled, not formatted or linted, because it is text. */
export const sources: Readonly<Record<string, string>> = {
  'codegen/documents.ts': `
import { graphql } from './generated/gql.js'
import type { AccountsQueryVariables, CaseStatus, StatsQuery } from './generated/graphql.js'

export const accounts = graphql(\`query Accounts($filter: AccountFilter, $direction: SortOrder!) {
  accountList(filter: $filter, orderBy: [{ field: name, direction: $direction }]) {
    data { id name type annualRevenue customFields cases { nodes { status priority } } }
  }
}\`)
export const stats = graphql(\`query Stats { caseStats { byStatus { NEW ESCALATED } } }\`)
export const create = graphql(\`mutation Create($input: CaseCreateInput!) { caseCreate(input: $input) { id status } }\`)
export const variables: AccountsQueryVariables = { direction: 'ASC', filter: { type: { eq: 'CUSTOMER' } } }
export const open: CaseStatus = 'OPEN'
export const escalated = ({ caseStats }: StatsQuery): number => caseStats.byStatus.ESCALATED
`,

  'openapi-typescript-use.ts': `
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi-typescript.js'

const client = createClient<paths>({ baseUrl: '', headers: { 'X-API-Key': '' } })
export async function names(): Promise<string[]> {
  const customFields = { tier: 'gold' }
  const query = { type: ['CUSTOMER' as const, 'PARTNER' as const], sortOrder: 'asc' as const, customFields }
  const { data, error } = await client.GET('/v1/accounts', { params: { query } })
  if (error) throw new Error(error.detail)
  return data.data.map(({ name }) => name ?? '')
}
export const input: components['schemas']['CaseCreateInput'] = { subject: 'Broken', priority: 'HIGH' }
export const create = () => client.POST('/v1/cases', { body: input })
`,

  'orval/use.ts': orvalUse,
  'orval7/use.ts': orvalUse,

  'hey-api-use.ts': `
import { accountCreate, accountList } from './hey-api/index.js'

export async function firstName(): Promise<string | undefined> {
  const { data } = await accountList({ query: { sortOrder: 'asc', limit: 1 }, throwOnError: true })
  return data.data[0]?.name
}
export const create = () => accountCreate({ body: { name: 'x', type: 'CUSTOMER' } })
`,
}
