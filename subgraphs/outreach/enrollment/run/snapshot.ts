import { organizationSettings, sendersOf, type Sender } from '../../../identity/public.ts'
import { activeOrganizationName } from '../../../identity/public.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Row } from '../../../kernel/database/sql.ts'
import { allColumnNames, readReference } from '../../../kernel/record/read.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../../kernel/request.ts'
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
  /** By id of the enrollment: its record as its sender sees it; absent if it is deleted or the sender does not see it. */
  readonly records: ReadonlyMap<string, Row>
  readonly accounts: ReadonlyMap<string, Row>
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

const objectOf = (enrollment: Pick<SequenceEnrollment, 'entityType'>): 'lead' | 'contact' =>
  enrollment.entityType === 'LEAD' ? 'lead' : 'contact'

const unique = (ids: readonly (string | null | undefined)[]): string[] => [
  ...new Set(ids.filter((id) => id !== null && id !== undefined)),
]

/** The context in which records are read as a user sees them, in the transaction of `ctx`. */
export const asSender = (ctx: RequestContext, sender: Sender): RequestContext => {
  const { id: userId, role, visibility, ownerIds, fields, entitlements } = sender
  const caller = { ...ctx.caller, kind: 'SESSION' as const, userId, role, visibility, ownerIds, fields, entitlements }
  return { ...ctx, caller, requestId: newId(), batches: new Map(), answered: null }
}

/** Senders without restrictions see the same, so that their records are read together. */
function contextsOf(ctx: RequestContext, senders: ReadonlyMap<string, Sender>): (id: string) => RequestContext | null {
  let unrestricted: RequestContext | null = null
  const contexts = new Map<string, RequestContext>()
  for (const sender of senders.values())
    contexts.set(
      sender.id,
      sender.ownerIds === null && sender.fields === null
        ? (unrestricted ??= asSender(ctx, sender))
        : asSender(ctx, sender),
    )
  return (id) => contexts.get(id) ?? null
}

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
  const contextOf = contextsOf(ctx, senders)
  const seen = await Promise.all(
    enrollments.map(async (enrollment): Promise<[SequenceEnrollment, Row | null]> => {
      const inner = enrollment.senderId ? contextOf(enrollment.senderId) : null
      const shape = recordType(objectOf(enrollment))()
      return [enrollment, inner && (await readReference(inner, shape, enrollment.entityId, allColumnNames(shape)))]
    }),
  )
  const records = new Map(seen.flatMap(([{ id }, row]) => (row ? [[id, row] as const] : [])))
  const accountShape = recordType('account')()
  const accounts = await Promise.all(
    seen.map(async ([{ id, senderId }, row]): Promise<[string, Row | null]> => {
      const accountId = row?.['accountId']
      const inner = senderId ? contextOf(senderId) : null
      const isRead = typeof accountId === 'string' && inner
      return [id, isRead ? await readReference(inner, accountShape, accountId, allColumnNames(accountShape)) : null]
    }),
  )
  const templateIds = unique(steps.map(({ templateId }) => templateId))
  const templates =
    templateIds.length === 0
      ? []
      : await Promise.all(templateIds.map((id) => readReference(ctx, emailTemplate, id, allColumnNames(emailTemplate))))
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
    accounts: new Map(accounts.flatMap(([id, row]) => (row ? [[id, row] as const] : []))),
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
