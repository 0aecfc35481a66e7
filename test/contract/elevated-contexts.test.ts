import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

/** Words with which code acts with other rights than those of its caller. */
const elevated =
  /\b(?:unrestricted|asSystem|systemContext|systemCaller|ownerContext|asSender)\(|\b(?:ownerIds|fields): null\b|visibility: 'ALL'/g

/**
 * Every file that acts with other rights than those of its caller, how often, and why it may. Code that acts for a caller reads with the
 * rights of the caller; a rule may change records beside the one that the caller changes, if the caller sees what they belong to.
 */
const reasons: Readonly<Record<string, readonly [uses: number, reason: string]>> = {
  // Where the contexts are made.
  'subgraphs/kernel/context.ts': [1, 'describes a caller'],
  'subgraphs/kernel/request.ts': [9, 'defines systemCaller, systemContext, unrestricted and asSystem'],
  'subgraphs/kernel/subgraph/day-arguments.ts': [1, 'no rights: fields of the type of an input'],
  'subgraphs/kernel/record/out-of-sight.ts': [
    1,
    'tells a record out of sight from a deleted one, to refuse the change',
  ],
  'subgraphs/identity/credential/owner-context.ts': [1, 'defines ownerContext, which has the rights of one user'],
  'subgraphs/outreach/enrollment/run/readers.ts': [
    1,
    'reads with what the sender, the enrolling user and the authors all see',
  ],

  // Jobs and consumers, which no caller starts.
  'subgraphs/commerce/customer-mail/customer-mails.ts': [2, 'delivers queued mails'],
  'subgraphs/commerce/dunning/dunning-run.ts': [1, 'daily run of the reminders of an organization'],
  'subgraphs/commerce/invoice/invoice-mail.job.ts': [1, 'mails sent invoices'],
  'subgraphs/extensions/action/checked-call.ts': [
    1,
    'reads what an action is, of which its user sees the input and the output',
  ],
  'subgraphs/extensions/custom-object/custom-object.actions.ts': [
    1,
    'gives all records their names by the new name field, for an administrator',
  ],
  'subgraphs/extensions/custom-object/remove-object.queue.ts': [
    1,
    'removes the records of an object that was deleted 30 days ago',
  ],
  'subgraphs/extensions/duplicate-rule/duplicate-keys.queue.ts': [
    1,
    'writes the keys of all records of a type, and says of the rule that it compares all of them',
  ],
  'subgraphs/extensions/lookup/detail-change.queue.ts': [
    1,
    'deletes and restores details of a record, in the name of whoever deleted or restored it',
  ],
  'subgraphs/extensions/lookup/lookup-clearing.queue.ts': [
    1,
    'clears what records name of a deleted record, in the name of whoever deleted it',
  ],
  'subgraphs/kernel/record/lookup/check-lookups.ts': [
    3,
    'whether what rules, hooks and restored records name exists, seen or not; the answer has none of it',
  ],
  'subgraphs/kernel/record/lookup/deleted-details.ts': [
    1,
    'deletes the details of the record that the caller deletes, seen or not',
  ],
  'subgraphs/kernel/record/lookup/restored-details.ts': [
    1,
    'restores the details of the record that the caller restores, seen or not',
  ],
  'subgraphs/kernel/record/lookup/deleted-targets.ts': [
    1,
    'clears what records name of the record that the caller deletes, as the organization has set the field up',
  ],
  'subgraphs/kernel/record/merge/move-references.ts': [
    1,
    'moves what names the records that the caller merges, seen or not, as their deletion clears it',
  ],
  'subgraphs/kernel/record/merge/restored-references.ts': [
    1,
    'whether the records exist into which those were merged that a restored record names; the answer has none of them',
  ],
  'subgraphs/records/merge/merge-move.queue.ts': [
    1,
    'moves what names merged records, in the name of whoever merged them',
  ],
  'subgraphs/extensions/field-change/run-change.ts': [
    1,
    'carries out on all records what an owner or admin has changed of a custom field',
  ],
  'subgraphs/extensions/field-change/replace-value.ts': [1, 'removes replaced values from fields 30 days later'],
  'subgraphs/extensions/function/run-function.ts': [1, 'logs an invocation for which no user may act'],
  'subgraphs/extensions/interview/turn-queue.ts': [
    2,
    'finds the interview of a turn and records that it has failed; its elements have the rights of its user',
  ],
  'subgraphs/extensions/workflow/receive-hook.ts': [1, 'starts a run for a signed request'],
  'subgraphs/extensions/workflow/run-queue.ts': [
    1,
    'records what became of runs; their steps have the rights of the run-as user',
  ],
  'subgraphs/extensions/workflow/start-by-event.ts': [
    1,
    'queues runs by events; what starts one is decided with the rights of the run-as user',
  ],
  'subgraphs/extensions/workflow/start-by-time.ts': [2, 'queues runs by schedules and times of records'],
  'subgraphs/insights/deal-score/deal-score.jobs.ts': [1, 'reads the time zone of an organization'],
  'subgraphs/events/delivery/record-outcomes.ts': [1, 'counts failures of webhooks and pauses them'],
  'subgraphs/events/live.ts': [1, 'reads whether an event type exists'],
  'subgraphs/events/notification/create/create-notifications.ts': [
    1,
    'makes notifications of events; whom one reaches is decided with the rights of the recipient',
  ],
  'subgraphs/events/notification/mail/due-mails.job.ts': [1, 'mails due notifications to their recipients'],
  'subgraphs/identity/due-work/due-records.ts': [1, 'changes records whose time has come, such as overdue tasks'],
  'subgraphs/insights/simulation/scenario-run.queue.ts': [
    3,
    'computes a scenario with the rights of the user who runs it; records that a run has failed',
  ],
  'subgraphs/insights/forecast/snapshot.job.ts': [1, 'daily snapshots of what the deals say'],
  'subgraphs/insights/triage/scan.job.ts': [2, 'opens and resolves the triage cases of an organization'],
  'subgraphs/insights/triage/churn-weights/churn-weights.job.ts': [
    1,
    'fits the weights of the risk to the accounts of an organization',
  ],
  'subgraphs/insights/quota/attained-consumer.ts': [1, 'announces that a quota is attained'],
  'subgraphs/outreach/email/organization-context.ts': [1, 'context of the queue that sends and receives mails'],
  'subgraphs/outreach/enrollment/stop/stop-consumer.ts': [1, 'ends enrollments because of events'],
  'subgraphs/outreach/smart-email/delivery-consumer.ts': [1, 'sets the status of drafts after delivery'],
  'subgraphs/outreach/smart-email/send-due.job.ts': [1, 'sends scheduled drafts with the rights of their owners'],
  'subgraphs/assistant/ai-execution/receive-inbound.ts': [1, 'starts an execution for a signed request'],

  'subgraphs/records/bulk-job/load/job-context.ts': [1, 'ends a bulk job whose user may not act any more'],

  // Provisioning and identity.
  'gateway/edge/directory.ts': [2, 'the SCIM directory of an organization administers its users'],
  'subgraphs/identity/access/explain-access.ts': [1, 'explains to an administrator why a user may not do something'],
  'subgraphs/identity/developer-org/developer-org.actions.ts': [
    2,
    'the creator owns the new organization; an administrator of the one that it belongs to ends it',
  ],
  'subgraphs/identity/oauth/oauth-service.ts': [1, 'ends a grant whose token was used twice'],
  'subgraphs/identity/operator-accounts.ts': [1, 'commands of the operator of the platform'],
  'subgraphs/identity/operator.ts': [12, 'commands of the operator of the platform'],
  'subgraphs/extensions/app/operator.ts': [1, 'commands of the operator of the platform'],
  'subgraphs/identity/session/register.ts': [1, 'the first user of a new organization owns it'],
  'subgraphs/identity/session/session.actions.ts': [1, 'a session at sign-in, limited to the own records of its user'],

  // Settlement and public pages: on the request of somebody without an account, who has the secret link.
  'subgraphs/commerce/invoice/invoice-mail.ts': [1, 'mails the invoice to the address that its sender has given'],
  'subgraphs/commerce/public-invoice/checkout-settle.job.ts': [1, 'asks the provider about open payments of invoices'],
  'subgraphs/commerce/public-invoice/linked-invoice.ts': [1, 'page and payment of an invoice, by its link'],
  'subgraphs/commerce/public-quote/public-quote.actions.ts': [1, 'page and acceptance of a quote, by its link'],

  // What follows from the change of a caller by a rule. Nothing that is read is answered.
  'subgraphs/commerce/dunning/remind.ts': [
    1,
    'the address to which the reminder of an invoice that the caller sees goes',
  ],
  'subgraphs/commerce/order-invoice/sync-order.ts': [1, 'quantities and states of an order follow from its invoices'],
  'subgraphs/commerce/quote/primary-quote.ts': [
    1,
    'the former primary quote of an opportunity that the caller sees ceases to be it',
  ],
  'subgraphs/crm/addressee.ts': [1, 'a document or page names its customer'],
  'subgraphs/kernel/search/build-entries.ts': [
    1,
    'entries have all records; who searches reads them with its own rights',
  ],
  'subgraphs/kernel/search/search-consumer.ts': [1, 'the same, of changed records'],
  'subgraphs/crm/contact/contact.serialized-rules.ts': [
    1,
    'the former primary contact of an account that the caller sees ceases to be it',
  ],
  'subgraphs/crm/lead-conversion/related-work.ts': [
    1,
    'tasks and activities of a lead move to the contact, unanswered',
  ],
  'subgraphs/crm/public.ts': [
    3,
    'amount of an opportunity that the caller sees from its primary quote; a bounce or an unsubscription on all holders of the address; a mail as an activity',
  ],
  'subgraphs/crm/file/file.jobs.ts': [1, 'gives back what is reserved for files that are deleted'],
  'subgraphs/crm/file/file-content.ts': [1, 'opens the file of a signed link, which a user who sees the file has made'],
  'subgraphs/crm/task/next-task.ts': [1, 'the next task of a series has the values of the completed one'],
  'subgraphs/crm/task/system-task.ts': [1, 'creates a task that a rule of another record asks for'],
  'subgraphs/commerce/quote/quote-mail.ts': [1, 'the document that is mailed to the customer, not to the caller'],
  'subgraphs/insights/forecast/forecast.actions.ts': [
    2,
    'a forecast and its snapshot keep what the deals of everybody below say; who does not see these users is not answered it',
  ],
  'subgraphs/outreach/email-template/template-mail.ts': [
    3,
    'mail of a template of the organization to its customer; automatic ones have the names and the invoice only',
  ],
  'subgraphs/outreach/email/inbound.actions.ts': [
    2,
    'a mail or report of a mail service is a fact; its answer names only ids',
  ],
  'subgraphs/outreach/enrollment/enroll.ts': [
    2,
    'refuses a record that the sender does not see; answers the enrollment that the caller has just created for the sender',
  ],
  'subgraphs/outreach/enrollment/process-step.ts': [
    1,
    'executes a step of an enrollment that the caller sees, as the worker does later',
  ],
}

function sources(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sources(path)
    return /(?<!\.(?:test|fixture))\.ts$/.test(entry.name) ? [relative('.', path)] : []
  })
}

it('is nowhere but in the listed places that code acts with other rights than those of its caller', () => {
  const folders = ['subgraphs', 'gateway', 'rest-adapter'].flatMap(sources).filter((file) => !file.includes('/demo/'))
  const found = folders.flatMap((file) => {
    const code = readFileSync(join(projectRoot, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
    const uses = code.match(elevated)?.length ?? 0
    return uses > 0 ? [[file, uses] as const] : []
  })
  const listed = Object.entries(reasons).map(([file, [uses]]) => [file, uses])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed))
})
