import { organizationSettings, sendersOf, type Sender } from '../../../identity/public.ts'
import { activeOrganizationName } from '../../../identity/public.ts'
import type { Row } from '../../../kernel/database/sql.ts'
import { allColumnNames, readReference } from '../../../kernel/record/read.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { readAsReaders, readersOf, type Readers } from './readers.ts'
import { suppressedAddresses } from '../../email/suppression.ts'
import { emailTemplate } from '../../email-template/email-template.record.ts'
import type { EmailTemplate } from '../../email-template/email-template.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import { readSequences, readSteps, type ReadSequence, type ReadStep } from '../sequence-reading.ts'
import { readMailboxes, type ReadMailbox } from './read-mailboxes.ts'
import { readVariantResults, type VariantResults } from './read-variant-results.ts'
import { readThreads, type ReadThread } from './read-threads.ts'

/** Everything that decides what becomes of some due enrollments of an organization, read with a number of statements that does not depend on theirs. */
export interface Snapshot {
  readonly now: Date
  readonly organizationName: string | null
  readonly organizationZone: string | null
  readonly holidays: ReadonlySet<string>
  readonly sequences: ReadonlyMap<string, ReadSequence>
  /** The live steps of each sequence in their order. */
  readonly steps: ReadonlyMap<string, readonly ReadStep[]>
  readonly stepsById: ReadonlyMap<string, ReadStep>
  readonly senders: ReadonlyMap<string, Sender>
  /** By id of the sender: the mailboxes that are on. */
  readonly mailboxes: ReadonlyMap<string, readonly ReadMailbox[]>
  /** By id of the enrollment: its record as its readers see it; absent if it is deleted or one of them does not see it. */
  readonly records: ReadonlyMap<string, Row>
  /** By id of the enrollment: the account of its record, if its readers see it. */
  readonly accounts: ReadonlyMap<string, Row>
  readonly readers: ReadonlyMap<string, Readers>
  /** Ids of records that exist, whoever sees them. */
  readonly existing: ReadonlySet<string>
  /** Why no mail may be sent, by address. */
  readonly suppressed: ReadonlyMap<string, string>
  readonly templates: ReadonlyMap<string, EmailTemplate>
  readonly variants: VariantResults
  readonly threads: ReadonlyMap<string, ReadThread>
  /** Ids of the steps that the present round of an enrollment has executed, by the id of the enrollment. */
  readonly executed: ReadonlyMap<string, ReadonlySet<string>>
}

const unique = (ids: readonly (string | null | undefined)[]): string[] => [
  ...new Set(ids.filter((id) => id !== null && id !== undefined)),
]

async function existingOf(ctx: RequestContext, enrollments: readonly SequenceEnrollment[]): Promise<Set<string>> {
  const idsOf = (type: string) =>
    enrollments.filter(({ entityType }) => entityType === type).map(({ entityId }) => entityId)
  const rows = await ctx.db.query<{ id: string }>(
    `select id from crm.contact where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null
     union all select id from crm.lead where organization_id = $1 and id = any($3::uuid[]) and deleted_at is null`,
    [ctx.caller.organizationId, idsOf('CONTACT'), idsOf('LEAD')],
  )
  return new Set(rows.map(({ id }) => id))
}

/** `ctx` is a context of the platform. */
export async function readSnapshot(ctx: RequestContext, enrollments: readonly SequenceEnrollment[]): Promise<Snapshot> {
  const { db, caller } = ctx
  const sequenceIds = unique(enrollments.map(({ sequenceId }) => sequenceId))
  const [sequences, steps, senders, settings, organizationName, executed, existing] = [
    await readSequences(ctx, sequenceIds),
    await readSteps(ctx, sequenceIds, unique(enrollments.map(({ currentStepId }) => currentStepId))),
    await sendersOf(ctx, unique(enrollments.map(({ senderId }) => senderId))),
    await organizationSettings(ctx),
    await activeOrganizationName(ctx),
    await db.query<{ enrollmentId: string; stepIds: string[] }>(
      `select a.enrollment_id as "enrollmentId", array_agg(a.step_id) as "stepIds"
       from unnest($2::uuid[], $3::int[]) as e (id, visit)
       join outreach.sequence_attempt a on a.organization_id = $1 and a.enrollment_id = e.id and a.visit = e.visit
       group by 1`,
      [caller.organizationId, enrollments.map(({ id }) => id), enrollments.map(({ visit }) => visit)],
    ),
    await existingOf(ctx, enrollments),
  ]
  const templateIds = unique(steps.map(({ templateId }) => templateId))
  const templates =
    templateIds.length === 0
      ? []
      : await Promise.all(templateIds.map((id) => readReference(ctx, emailTemplate, id, allColumnNames(emailTemplate))))
  const readers = await readersOf(ctx, {
    enrollments,
    senders,
    steps,
    templates: new Map(templates.flatMap((row) => (row ? [[row['id'] as string, row] as const] : []))),
  })
  const { records, accounts } = await readAsReaders(enrollments, readers)
  const emails = unique([...records.values()].map(({ email }) => (email as string | null)?.toLowerCase()))
  return {
    now: ctx.clock.now(),
    organizationName,
    organizationZone: settings.timezone ?? null,
    holidays: new Set(settings.businessHours?.holidays ?? []),
    sequences: new Map(sequences.map((sequence) => [sequence.id, sequence])),
    steps: Map.groupBy(
      steps.filter(({ isDeleted }) => !isDeleted),
      ({ sequenceId }) => sequenceId,
    ),
    stepsById: new Map(steps.map((step) => [step.id, step])),
    senders,
    mailboxes: await readMailboxes(ctx, [...senders.keys()]),
    records,
    accounts,
    readers,
    existing,
    suppressed: emails.length > 0 ? await suppressedAddresses(ctx, emails) : new Map(),
    templates: new Map(
      templates.flatMap((row) => (row ? [[row['id'] as string, row as unknown as EmailTemplate] as const] : [])),
    ),
    variants: await readVariantResults(ctx, steps),
    threads: await readThreads(ctx, unique(enrollments.map(({ threadId }) => threadId))),
    executed: new Map(executed.map(({ enrollmentId, stepIds }) => [enrollmentId, new Set(stepIds)])),
  }
}
