import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** Files outside the kernel that build the conditions of a statement themselves, and what they read. */
const readersOfRecords: Readonly<Record<string, string>> = {
  'subgraphs/assistant/conversation/sight.ts': 'Whether answers may be shown, which note all that they are made of.',
  'subgraphs/crm/lead-conversion/targets.ts': 'Checks of a mutation, of which nothing is answered.',
  'subgraphs/crm/related-record/related-record.rules.ts': 'Checks of a mutation, of which nothing is answered.',
  'subgraphs/events/node/node.resolver.ts': 'Records, which are told by their ids.',
  'subgraphs/extensions/custom-object/custom-object.actions.ts':
    'Finds deleted masters, whose details are then deleted; nothing is answered.',
  'subgraphs/extensions/duplicate-rule/duplicate-keys.queue.ts':
    'Writes the keys of all records of a type, of which nothing is answered.',
  'subgraphs/extensions/field-change/run-change.ts': 'Changes all records of a type, of which nothing is answered.',
  'subgraphs/extensions/function/function.actions.ts': 'Records, which are told by their ids.',
  'subgraphs/outreach/email/thread-messages.ts': 'Records, which are told by their ids.',
  'subgraphs/outreach/sequence/steps-of-sequence.ts': 'Records, which are told by their ids.',
  'subgraphs/outreach/smart-email/compose-context.ts': 'Records, which are told by their ids.',
  'subgraphs/outreach/smart-email/history.ts': 'Records, which are told by their ids.',
  'subgraphs/records/bulk-job/load/find-records.ts':
    'Finds the records that a job changes, of which nothing is answered.',
  'subgraphs/records/undo/referred-by-others.ts': 'Records of whomever keep a record; nothing is told of them.',
}

/** Files outside the kernel with conditions that leave out the visibility or the deletion of records, and why. */
const withoutConditions: Readonly<Record<string, string>> = {
  'subgraphs/assistant/document/document.actions.ts':
    'Selects documents that the caller sees by the account of their deals; nothing is told of the deals.',
  'subgraphs/commerce/invoice-aging/open-balances.ts':
    'Periods of balances: the deletion of an invoice ends its period.',
  'subgraphs/extensions/custom-object/custom-object.actions.ts':
    'Finds deleted masters, whose details are then deleted; nothing is answered.',
  'subgraphs/extensions/duplicate-rule/duplicate-keys.queue.ts':
    'Writes the keys of all records of a type, deleted ones too, of which nothing is answered.',
  'subgraphs/extensions/field-change/run-change.ts':
    'Changes all records of a type, deleted ones too, of which nothing is answered.',
  'subgraphs/records/bulk-job/load/find-records.ts':
    'Finds deleted records that a job restores, by the visibility of its user.',
  'subgraphs/records/undo/referred-by-others.ts': 'Records of whomever keep a record; nothing is told of them.',
}

/** Files outside the kernel that read rows of record types without a condition of their own for each, how many, and why. */
const withoutConditionOfTheirOwn: Readonly<Record<string, readonly [reads: number, reason: string]>> = {
  'subgraphs/commerce/account-statement/read-statement.ts': [2, 'Numbers of documents, for entries that are shown.'],
  'subgraphs/outreach/email/receive-email.ts': [1, 'The platform finds the thread of a mail.'],
}

const codeOutsideTheKernel = (): string[] =>
  globSync('{subgraphs,gateway,rest-adapter}/**/*.ts', { exclude: ['subgraphs/kernel/**', '**/*.test.ts'] })

describe('computed reads', () => {
  it('are statements of `computedOver`, so that stored answers with them are not replayed to somebody who sees less', () => {
    const own = codeOutsideTheKernel().filter((file) => /new TenantPredicate\b/.test(readFileSync(file, 'utf8')))
    expect(own.toSorted()).toEqual(Object.keys(readersOfRecords))
  })
  it('are of records that the caller sees and that are not deleted (`live`)', () => {
    const other = codeOutsideTheKernel().filter((file) =>
      /\.(tenant|visible)\(|redicate\.all\(/.test(readFileSync(file, 'utf8')),
    )
    expect(other.toSorted()).toEqual(Object.keys(withoutConditions))
  })

  it('have such a condition for every record type that they read', () => {
    const countOf = (pattern: RegExp, code: string): number => code.match(pattern)?.length ?? 0
    const found = codeOutsideTheKernel()
      .toSorted()
      .flatMap((file) => {
        const code = readFileSync(file, 'utf8')
        const missing = countOf(/\breadSource\(/g, code) - countOf(/\.(live|visible|tenant)\(/g, code)
        return missing > 0 ? [[file, missing]] : []
      })
    const declared = Object.entries(withoutConditionOfTheirOwn).map(([file, [reads]]) => [file, reads])
    expect(found).toEqual(declared)
  })
})
