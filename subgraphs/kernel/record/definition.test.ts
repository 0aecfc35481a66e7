import { Int } from 'type-graphql'
import { describe, expect, it } from 'vitest'
import { AccountStatus } from '../../crm/account/account.enumerations.ts'
import type { Account } from '../../crm/account/account.ts'
import { account } from '../../crm/account/account.record.ts'
import { caseComment } from '../../support/case/case.record.ts'
import { Column } from './column.ts'
import { relationFrom, type RecordDefinition } from './definition.ts'
import type { RecordEvents } from './event-types.ts'
import { visibleIds } from './read.ts'
import { restArea } from './rest-area.ts'

// The compiler runs these tests: `tsc` reports each `@ts-expect-error` whose next line compiles, so it fails when a column name is
// no longer checked.
describe('names of columns', () => {
  it('are checked by the compiler in a definition', () => {
    const definitions: readonly RecordDefinition<Account>[] = [
      account,
      // @ts-expect-error -- misspelt
      { ...account, visibleBy: ['ownerID'] },
      // @ts-expect-error -- misspelt
      { ...account, visibleThrough: { by: 'parentAcountId', to: () => account } },
      // @ts-expect-error -- misspelt
      { ...account, searchable: ['name', 'domian'] },
      // @ts-expect-error -- misspelt
      { ...account, references: { parentAcountId: (ctx, ids) => visibleIds(ctx, account, ids) } },
      // @ts-expect-error -- misspelt
      { ...account, relations: { parent: { to: () => account, by: 'parentAcountId' } } },
      // @ts-expect-error -- not created by relationFrom, so its name would not be checked
      { ...account, relations: { children: { to: () => account, from: 'parentAccountId' } } },
      // @ts-expect-error -- misspelt
      { ...account, relations: { children: relationFrom(() => account, 'parentAcountId') } },
      // @ts-expect-error -- a column of this record, but not of the other
      { ...account, relations: { comments: relationFrom(() => caseComment, 'parentAccountId') } },
      // @ts-expect-error -- misspelt
      { ...account, unique: { account_domain_live: 'domian' } },
      // @ts-expect-error -- misspelt
      { ...account, numbered: 'acountNumber' },
    ]
    expect(definitions).toHaveLength(11)
  })

  it('are checked by the compiler in the filters of a REST list', () => {
    // @ts-expect-error -- misspelt
    const area = restArea(account, { path: 'accounts', filters: ['ratign'] })
    expect(area.filters).toEqual([{ name: 'ratign', column: 'ratign', operator: 'eq' }])
  })

  it('are checked by the compiler in the data of an event', () => {
    const event = { operation: 'UPDATE', description: 'An account got another rating.' } as const
    const events: readonly RecordEvents<Account>['types'][string][] = [
      { ...event, adds: { rating: 'record.rating', previousRating: 'previous.rating' } },
      // @ts-expect-error -- misspelt
      { ...event, adds: { rating: 'record.ratign' } },
      // @ts-expect-error -- the source must be `record` or `previous`
      { ...event, adds: { rating: 'next.rating' } },
    ]
    expect(events).toHaveLength(3)
  })
})

describe('a column', () => {
  it('has a default that the compiler compares with its type', () => {
    const decorators = [
      Column(() => AccountStatus, { default: 'ACTIVE' }),
      // @ts-expect-error -- not a member of the enumeration
      Column(() => AccountStatus, { default: 'ATCIVE' }),
      // @ts-expect-error -- text for a number
      Column(() => Int, { default: '0' }),
    ]
    expect(decorators).toHaveLength(3)
  })
})
