import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** Files outside the kernel that build the conditions of a statement themselves, and what they read. */
const readersOfRecords: Readonly<Record<string, string>> = {
  'subgraphs/crm/lead-conversion/targets.ts': 'Checks of a mutation, of which nothing is answered.',
  'subgraphs/crm/related-record/related-record.rules.ts': 'Checks of a mutation, of which nothing is answered.',
  'subgraphs/extensions/function/function.actions.ts': 'Records, which are told by their ids.',
  'subgraphs/outreach/email/thread-messages.ts': 'Records, which are told by their ids.',
  'subgraphs/outreach/sequence/steps-of-sequence.ts': 'Records, which are told by their ids.',
  'subgraphs/outreach/smart-email/grounds.ts': 'Records, which are told by their ids.',
  'subgraphs/outreach/smart-email/history.ts': 'Records, which are told by their ids.',
}

describe('computed reads', () => {
  it('are statements of `computedOver`, so that stored answers with them are not replayed to somebody who sees less', () => {
    const files = globSync('{subgraphs,gateway,rest-adapter}/**/*.ts', {
      exclude: ['subgraphs/kernel/**', '**/*.test.ts'],
    })
    const own = files.filter((file) => /new TenantPredicate\b/.test(readFileSync(file, 'utf8')))
    expect(own.toSorted()).toEqual(Object.keys(readersOfRecords))
  })
})
