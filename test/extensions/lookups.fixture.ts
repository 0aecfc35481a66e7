import { lookupClearingQueue } from '../../subgraphs/extensions/lookup/lookup-clearing.queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import type { Member, Platform } from '../platform.ts'
import { field } from './custom-fields.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'
import { object } from './custom-objects.fixture.ts'

/** Clears all references to deleted records that are cleared in the background. */
export async function settleClearings(platform: Platform): Promise<void> {
  const open = () => platform.query(`select from extensions.lookup_clearing where state = 'QUEUED' limit 1`)
  while ((await open()).length > 0) await drain(lookupClearingQueue, platform.services)
}

/** Creates a LOOKUP of accounts to accounts, unless the values say otherwise, and waits until it is ready. */
export async function lookup(platform: Platform, by: Member, values: object = {}) {
  const created = await field(by, { name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT', ...values })
  await settleFieldChanges(platform)
  return created
}

/** A custom object whose records have a subject and name an account and another record of the object. */
export const visitsOfAccounts = (by: Member, more: object = {}) =>
  object(by, {
    fields: [
      { name: 'subject', label: 'Subject', fieldType: 'TEXT' },
      { name: 'account', label: 'Account', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT', ...more },
      { name: 'previous', label: 'Previous visit', fieldType: 'LOOKUP', lookupObject: 'custom:site_visit' },
    ],
  })
