import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { definedTypes, recordTypes } from '../../subgraphs/all.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { concernsDefinitions } from '../../subgraphs/kernel/extension/current-extensions.ts'

/** The statements that write records of a type that organizations may define something of; each adds what is derived from them. */
const writers = {
  'subgraphs/kernel/record/collected-writes.ts': 'writes that are decided one by one and written together',
  'subgraphs/kernel/record/save.ts':
    'every change by a caller or the platform: create, update, delete, restore, bulk changes, conversion',
  'subgraphs/kernel/record/change-all.ts': 'changes that follow from another one, 25 rows a statement',
  'subgraphs/kernel/record/insert-records.ts': 'generated records, any number a statement',
}

/** Files with a statement on a table whose name is a variable, and why it is not one of those record types. */
const others = {
  'subgraphs/kernel/record/write-change.ts': 'rows that are no records: users, sessions, apps',
  'subgraphs/kernel/record/maintained-totals.ts': 'tables of totals',
  'subgraphs/kernel/record/record-table.ts': 'tables of totals, in triggers',
  'subgraphs/crm/related-record/activity-dates.ts':
    'columns without events and versions, from which nothing is derived',
  'subgraphs/kernel/outbox/event-partitions.ts': 'partitions of events',
  'subgraphs/events/delivery/delivery.jobs.ts': 'deliveries to webhooks',
  'subgraphs/kernel/queue/*': 'items of queues',
  'subgraphs/kernel/record/lookup/deleted-targets.ts': 'items of queues',
  'subgraphs/kernel/record/merge/move-references.ts': 'items of queues',
  'subgraphs/kernel/record/merge/merged-records.ts': 'rows that say into which record each was merged',
  'subgraphs/kernel/record/merge/naming-rows.ts': 'rows that are no records: documents, conversations',
  'subgraphs/kernel/record/lookup/detail-fields.ts': 'items of queues',
  'subgraphs/kernel/record/lookup/restored-details.ts':
    'with which master a deleted record is restored, from which nothing is derived',
  'subgraphs/extensions/{duplicate-rule,interview,metadata,trigger,workflow,subscription}/*': 'items of queues',
  'subgraphs/events/delivery/{event-recovery.queue,recover-events}.ts': 'items of queues',
  'subgraphs/outreach/email/count-hits.ts': 'items of queues',
  'subgraphs/kernel/record/{duplicates,value-index,rollup}/*': 'rows that are derived from records',
  'subgraphs/kernel/secrets/rotate.ts': 'encrypted columns',
  'subgraphs/outreach/email-template/template-figures.ts': 'tables of totals',
  'subgraphs/kernel/record/derived/field-history.ts': 'the history of fields, which is derived itself',
  'subgraphs/extensions/field-change/{definition-state,run-change}.ts': 'items of queues, definitions of fields',
  'subgraphs/extensions/custom-object/remove-object.queue.ts':
    'records of an object that was deleted 30 days before, with the rows that were derived from them',
  'subgraphs/extensions/field-change/remove-values.ts':
    'values of a field that was deleted 30 days before, with the rows that were derived from them',
  'subgraphs/extensions/field-change/rewrite-values.ts':
    'values of deleted records; what is derived from them is written when they are restored',
  'subgraphs/kernel/record/store-formulas.ts':
    'values of formulas that no write has computed yet; the SQL of their definition is what is derived from until then',
  'subgraphs/extensions/app/{install-app,finish-app-change}.ts': 'rows that are no records: installations',
  'subgraphs/extensions/function/function.actions.ts': 'parts of a function',
  'subgraphs/demo/{sequences,webhooks}.ts': 'rows that are no records: attempts, deliveries',
}

const types = [...recordTypes, ...definedTypes].filter(concernsDefinitions)
const names = types.map(({ table, storedIn }) => storedIn ?? table).map((table) => table.replaceAll(/["()]/g, ''))
const statement = new RegExp(
  String.raw`\b(?:insert into|update|delete from|merge into) (?:only )?(?:\$\{|[a-z_]+\.\$\{|(?:${names.join('|').replaceAll('.', String.raw`"?\."?`)})\b(?!\w))`,
)

const files = globSync('subgraphs/**/*.ts', { cwd: projectRoot }).filter(
  (file) => !/\.(test|fixture|migrations)\.ts$|\/migrations\//.test(file),
)
const found = files.filter((file) => statement.test(readFileSync(join(projectRoot, file), 'utf8')))
const matched = (patterns: object): Set<string> =>
  new Set(Object.keys(patterns).flatMap((pattern) => globSync(pattern, { cwd: projectRoot })))

describe('what is derived from records', () => {
  it('is part of each statement that writes them, and no other file has such a statement', () => {
    const [known, writing] = [matched(others), matched(writers)]
    expect(found.filter((file) => !known.has(file)).toSorted()).toEqual([...writing].toSorted())
    for (const file of writing) expect(readFileSync(join(projectRoot, file), 'utf8')).toContain('derivedStatements(')
  })
})
